import { builder } from '../../platform/graphql/builder.ts'
import { expose } from '../../platform/graphql/record.ts'
import './account/graphql.ts'
import './invitation/graphql.ts'
import './key/graphql.ts'
import './passkey/graphql.ts'
import './second-factor/graphql.ts'
import './sign-in/graphql.ts'
import './sign-in-link/graphql.ts'
import type { KeyViewer } from '../../platform/context.ts'
import { AdministratorObject } from './administrator/graphql.ts'
import { getSelf } from './administrator/service.ts'
import { keyFields } from './key/record.ts'

const { kind, organizationId, collectionId, creatorId } = keyFields
const KeyViewerObject = builder.objectRef<KeyViewer>('KeyViewer').implement({
  description: 'A client that authenticates with a key.',
  fields: (t) => ({
    keyId: t.exposeID('keyId', { description: keyFields.id.description }),
    ...expose(t, { kind, organizationId, collectionId, creatorId }),
  }),
})
const ViewerUnion = builder.unionType('Viewer', {
  description: 'The authenticated client.',
  types: [KeyViewerObject, AdministratorObject],
  resolveType: (viewer) => ('keyId' in viewer ? KeyViewerObject : AdministratorObject),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerUnion,
    nullable: true,
    description: 'Returns the authenticated client. Null without a key or token.',
    resolve: (_, __, ctx) => (ctx.viewer?.type === 'administrator' ? getSelf(ctx) : ctx.viewer),
  }),
)
