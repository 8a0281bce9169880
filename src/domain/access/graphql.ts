import './sign-in/graphql.ts'
import type { KeyViewer } from '../../platform/context.ts'
import { builder } from '../../platform/graphql/builder.ts'
import { AdministratorObject } from './administrator/graphql.ts'
import { getSelf } from './administrator/service.ts'
import { KeyKindEnum } from './key/graphql.ts'
import type { UploadHandle } from './upload-handle.ts'

const KeyViewerObject = builder.objectRef<KeyViewer>('KeyViewer').implement({
  description: 'The holder of a key.',
  fields: (t) => ({
    keyId: t.exposeID('keyId', { description: 'Names the key.' }),
    kind: t.expose('kind', { type: KeyKindEnum, description: 'What it may do.' }),
    organizationId: t.exposeID('organizationId', { description: 'The organization that it speaks for.' }),
    collectionId: t.exposeID('collectionId', { nullable: true, description: 'The only collection that it sees.' }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The only creator that it sees.' }),
  }),
})
const ViewerUnion = builder.unionType('Viewer', {
  description: 'Who asks.',
  types: [KeyViewerObject, AdministratorObject],
  resolveType: (viewer) => ('keyId' in viewer ? KeyViewerObject : AdministratorObject),
})

export const UploadHandleObject = builder.objectRef<UploadHandle>('UploadTarget').implement({
  description: 'Where, how and until when to upload.',
  fields: (t) => ({
    method: t.exposeString('method', { description: '`PUT` for a recording, `POST` for a cover.' }),
    uploadUrl: t.exposeString('uploadUrl', { description: 'Signed, for one upload.' }),
    ttl: t.exposeInt('ttl', { description: 'Seconds.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'The upload must begin before.' }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerUnion,
    nullable: true,
    description: 'Who asks; null without a key or token.',
    resolve: (_, __, ctx) => (ctx.viewer?.type === 'administrator' ? getSelf(ctx) : ctx.viewer),
  }),
)
