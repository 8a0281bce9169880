import '../../domain/access/graphql.ts'
import '../../domain/activity/graphql.ts'
import '../../domain/access/node/graphql.ts'
import '../../domain/upload-address/graphql.ts'
import '../../domain/event/graphql.ts'
import '../../domain/organization/graphql.ts'
import '../../domain/organization/signing-secret/graphql.ts'
import '../../domain/webhook/graphql.ts'
import '../../domain/webhook/delivery/graphql.ts'
import '../../domain/webhook/event/graphql.ts'
import '../../domain/usage/graphql.ts'
import '../../domain/creator/graphql.ts'
import '../../domain/variant/graphql.ts'
import '../../domain/collection/graphql.ts'
import '../../domain/collection/deleted/graphql.ts'
import '../../domain/collection/event/graphql.ts'
import '../../domain/track/graphql.ts'
import '../../domain/track/change/graphql.ts'
import '../../domain/track/deleted/graphql.ts'
import '../../domain/track/event/graphql.ts'
import '../../domain/track/metadata-keys/graphql.ts'
import '../../domain/track/move/graphql.ts'
import '../../domain/track/replacement/graphql.ts'
import '../../domain/track/translation/graphql.ts'
import '../../domain/playback/listening/graphql.ts'
import '../../domain/playback/session/graphql.ts'
import '../../domain/upload/graphql.ts'
import '../../domain/processing/graphql.ts'
import { builder } from '../../platform/graphql/builder.ts'
import { version } from '../../platform/version.ts'

builder.queryField('version', (t) =>
  t.string({ description: 'Release of the service, as in `/health/ready`.', resolve: () => version }),
)

/** The whole GraphQL schema, composed of every concept's `graphql.ts`. */
export const schema = builder.toSchema()
