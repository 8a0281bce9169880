import { z } from 'zod'
import { refusals } from '../../../domain/playback/admission.ts'
import { reportInput } from '../../../domain/playback/listening/record.ts'
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

const adaptiveParams = z.object({
  trackId: uuidRule.describe('The track.'),
  grant: text({
    description: 'What permits a client to read the stream, from the address of its playlist.',
    example: `k1777887000.0199c3f0-5d2e-7c41-8f30-1c2d3e4f5a6b.${'k3'.repeat(21)}x`,
  }).restShape,
  file: text({ description: 'A playlist, or a file that it names.', example: 'master.m3u8' }).restShape,
})

const listeningParams = z.object({
  trackId: uuidRule.describe('The track.'),
  grant: text({
    description: 'What permits a player to report, from the address that it was given.',
    example: `1777887000.214500.${'k3'.repeat(21)}x`,
  }).restShape,
})

const plain = (example: string) => ({ 'text/plain': { schema: { type: 'string' }, example } })
const cacheControl = {
  description: 'Every redirect is signed individually.',
  schema: { type: 'string', const: 'no-store' },
}

/** Playlists and files of an adaptive stream (RFC 8216; ISO/IEC 23009-1). */
export function adaptiveOperation(writer: DocumentWriter): object {
  const common = headersNamed('X-Request-Id')
  const playlist = { schema: { type: 'string' } }
  return {
    operationId: 'readAdaptiveStream',
    tags: ['Delivery'],
    summary: 'Returns a playlist of an adaptive stream, or redirects to a file of it.',
    description:
      'Players follow these addresses. Nothing here counts a play. A grant ends 24 hours after its stream link was opened, with its share key, or with its play session.',
    security: [],
    parameters: writer.parameters(adaptiveParams, 'path'),
    responses: {
      '200': {
        description: 'A playlist, or a manifest.',
        headers: common,
        content: { 'application/vnd.apple.mpegurl': playlist, 'application/dash+xml': playlist },
      },
      '302': {
        description: 'The file is at `Location`. Players request ranges of it.',
        headers: { Location: { description: 'A signed URL.', schema: { type: 'string', format: 'uri' } }, ...common },
      },
      '404': {
        description: 'The stream has no such part, or may not be read any more.',
        headers: common,
        content: { ...plain('Not found'), 'text/html': { schema: { type: 'string' } } },
      },
      ...writer.failures(['internal', 'unavailable', 'timeout']),
    },
  }
}

/** The report of a player (decision 0088). */
export function listeningOperation(writer: DocumentWriter): object {
  return {
    operationId: 'reportListening',
    tags: ['Delivery'],
    summary: 'Reports what has been heard of a track.',
    description:
      'Players send it to `listening_url` while a track plays, and when it ends. Each report has all that was heard so far. What a ' +
      'listener hears within 24 hours is one listening, so a repeated report adds nothing. Listeners are distinguished by a hash of ' +
      'address and user agent, whose key is deleted after a day. Reports of bots are ignored.',
    security: [],
    parameters: [...writer.parameters(listeningParams, 'path'), ...writer.parameters(reportInput, 'query')],
    responses: {
      '204': { description: 'The report is stored.', headers: headersNamed('X-Request-Id') },
      ...writer.failures(['invalid_input', 'not_found', 'rate_limited', 'internal', 'unavailable', 'timeout']),
    },
  }
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
      'The share key is the credential. Each redirect counts as a play request. Browsers get errors as a page (Accept prefers text/html).\n\n' +
      'With `.m3u8` after a share key for an adaptive stream, `Location` is its playlist for HTTP Live Streaming, and with `.mpd` its manifest for MPEG-DASH, both valid for 24 hours. Any other extension is ignored.',
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
