import { z } from 'zod'
import { refusals } from '../../../domain/playback/admission.ts'
import { text } from '../../../platform/schema/fields.ts'
import { uuidRule } from '../../../platform/schema/rules.ts'
import { REFUSAL_HEADER, refusalNotices } from '../refusal.ts'
import { headersNamed } from './answers.ts'
import type { DocumentWriter } from './document-writer.ts'

const params = z.object({
  trackId: uuidRule.describe('The track.'),
  apiKey: text({ description: 'A share key.', example: `${'0199c3f05d2e7c41'.repeat(2)}_share_${'k3'.repeat(24)}x` })
    .restShape,
})

const plain = (example: string) => ({ 'text/plain': { schema: { type: 'string' }, example } })
const cacheControl = {
  description: 'Every redirect is signed individually.',
  schema: { type: 'string', const: 'no-store' },
}

/** Specification, section 4, Inline share stream. Errors are plain text, and the same for every cause but a limit. */
export function streamOperation(writer: DocumentWriter): object {
  const failed = (description: string, example: string) => ({
    description,
    headers: { 'Cache-Control': cacheControl, ...headersNamed('X-Request-Id') },
    content: { ...plain(example), 'text/html': { schema: { type: 'string' } } },
  })
  const [title, reason] = refusalNotices.plays.en
  const refused = failed('A limit of the link refuses the play.', `${title}. ${reason}`)
  return {
    operationId: 'openStream',
    tags: ['Delivery'],
    summary: 'Redirects a stream link to the file.',
    description:
      'The share key is the credential. Each redirect counts as a play request. Browsers get errors as a page (Accept prefers text/html).',
    security: [],
    parameters: writer.parameters(params, 'path'),
    responses: {
      '302': {
        description: 'The file is at `Location`. Valid for an hour.',
        headers: {
          Location: {
            description: 'On the domain of the organization.',
            schema: { type: 'string', format: 'uri' },
            example:
              'https://cdn.example.com/0199c3f0/0199c3f1/Ab3dE5gH1j_hq.m4a?verify=1777887000-XsZ5NmtNBxOd4f4fBOtq',
          },
          'Cache-Control': cacheControl,
          ...headersNamed('X-Request-Id'),
        },
      },
      '403': {
        ...refused,
        headers: {
          ...refused.headers,
          [REFUSAL_HEADER]: { description: 'The limit.', schema: { type: 'string', enum: refusals } },
        },
      },
      '404': failed('The link does not work, for any reason.', 'Not found'),
      '500': failed('An error of the service.', 'Something went wrong on our side.'),
      '503': failed(
        'The service cannot reach its database.',
        'The service cannot reach its database. Try again shortly.',
      ),
      '504': failed('The service took too long.', 'The service took too long to answer.'),
    },
  }
}
