import { z } from 'zod'
import { AppError } from '../../platform/errors.ts'
import { anyObject, route } from '../../platform/http/rest.ts'
import { id, text } from '../../platform/schema/fields.ts'
import { parse } from '../../platform/schema/parse.ts'
import { textRule } from '../../platform/schema/rules.ts'
import { createKey } from './key/keys.ts'
import { creatableKinds, createKeyInput, keyFields } from './key/record.ts'
import { organizationScope } from './viewer.ts'

const EXAMPLE_KEY = `${'0199c3f05d2e7c41'.repeat(2)}_share_${'k3'.repeat(24)}x`

/** Contract, section 2. */
export const accessRoutes = [
  route({
    method: 'POST',
    path: '/api_key',
    auth: 'key',
    permit: organizationScope,
    operation: 'createApiKey',
    summary: 'Creates a key for uploading, playing or sharing.',
    description: 'Only administrators create keys of kind `api`, with GraphQL.',
    body: anyObject,
    documentedBody: createKeyInput,
    answer: z.object({
      apiKey: text({
        description: 'The key itself. Shown only once; of a share key, GraphQL shows it again (`Key.shareKey`).',
        example: EXAMPLE_KEY,
      }).restShape,
      apiKeyId: id({ description: keyFields.id.description }).restShape,
    }),
    fails: ['not_found'],
    handle: async ({ ctx, body }) => {
      // A kind that the operation never creates is 403, also with an invalid body.
      checkKind(body)
      const { key, record } = await createKey(ctx, parse(createKeyInput, body))
      return { apiKey: key, apiKeyId: record.id }
    },
  }),
]

const kindInput = z.object({ apiKeyTypeId: textRule(64) })

/** @throws AppError `forbidden` for a kind that cannot be created here; `invalid_input` without one */
function checkKind(body: object): void {
  const { apiKeyTypeId } = parse(kindInput, body)
  if (creatableKinds.some((kind) => kind === apiKeyTypeId)) return
  const rule = `must be one of ${creatableKinds.join(', ')}; only administrators create other kinds`
  throw new AppError('forbidden', '', { fields: [{ field: 'apiKeyTypeId', rule }] })
}
