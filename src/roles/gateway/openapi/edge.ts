import { z } from 'zod'
import { uuid } from '../../../platform/schema/input.ts'
import * as shape from '../../../platform/schema/shape.ts'
import { type failure, headersNamed } from './answers.ts'
import type { DocumentWriter } from './document-writer.ts'
import { resumableOperations } from './resumable.ts'

const SHA256 = 'a3f1'.repeat(16)

const accepted = z
  .object({
    ok: z.literal(true),
    size: shape.wholeNumber('Bytes that arrived.', 31_752_044),
    sha256: shape.text('Of these bytes, lower-case hex.', SHA256),
  })
  .meta({ id: 'Accepted' })

const grant = z.object({
  issued: shape.text('Part of the address.', '1777887000000'),
  expires: shape.text('Part of the address.', '1777890600000'),
  signature: shape.text('Part of the address.', 'XsZ5NmtNBxOd4f4fBOtqVmpWRnDRNkHKVZieqDPKu3U'),
})
const record = z.object({ id: uuid.describe('The record that it is for.') })

const recording = { 'application/octet-stream': {}, 'audio/*': {} }
const cover = {
  'image/*': {},
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: {
        file: { description: 'The picture.', type: 'string', contentMediaType: 'application/octet-stream' },
      },
    },
  },
}

/** What upload handles point to (contract, section 5): clients take the address as it is. */
export function uploadPaths(writer: DocumentWriter, edgeUrl: string): Record<string, object> {
  const path = (operations: Record<string, object>) => ({
    servers: [{ url: edgeUrl, description: 'The edge.' }],
    parameters: [...writer.parameters(record, 'path'), ...writer.parameters(grant, 'query')],
    ...operations,
  })
  const whole = (operationId: string, summary: string, content: object) => ({
    operationId,
    tags: ['Uploads'],
    summary,
    description: 'The address of an upload handle, as it is. It takes one upload, which may begin until it ends.',
    security: [],
    requestBody: { required: true, description: 'The bytes, chunked or not.', content },
    responses: {
      '200': {
        ...writer.success('All of it arrived and is kept.', accepted),
        headers: {
          ETag: { description: 'The checksum in quotes.', schema: { type: 'string' }, example: `"${SHA256}"` },
          'x-checksum-sha256': { description: 'Lower-case hex.', schema: { type: 'string' }, example: SHA256 },
          ...headersNamed('X-Request-Id'),
        },
      },
      ...writer.failures([
        ...(['invalid_input', 'forbidden', 'not_found', 'upload_completed', 'source_url_given'] as const),
        ...(['upload_in_use', 'expired', 'too_large', 'internal', 'unavailable', 'timeout'] as const),
      ]),
    },
  })
  const taking = (whose: string) => `Takes the cover of ${whose}.`
  return {
    '/upload/track/{id}': path({
      put: whole('uploadTrack', 'Takes the recording of a track.', recording),
      ...resumableOperations(writer),
    }),
    '/upload/track-cover/{id}': path({ post: whole('uploadTrackCover', taking('a track'), cover) }),
    '/upload/collection-cover/{id}': path({ post: whole('uploadCollectionCover', taking('a collection'), cover) }),
    '/upload/organization-cover/{id}': path({
      post: whole('uploadOrganizationCover', taking('the organization'), cover),
    }),
  }
}

const filePath = z.object({
  filePath: shape.text('Its slashes stay as they are.', '0199c3f0/0199c3f1/Ab3dE5gH1j_hq.m4a'),
})
const verify = z.object({
  verify: shape.text('When it was signed, and the signature.', '1777887000-XsZ5NmtNBxOd4f4fBOtq'),
})

const header = (said: string, example: string) => ({ description: said, schema: { type: 'string' }, example })
const fileHeaders = {
  ETag: header('Of the bytes; strong.', `"${SHA256}"`),
  'Last-Modified': header('When the file was made.', 'Mon, 04 May 2026 09:30:00 GMT'),
  'Accept-Ranges': header('Parts may be asked for.', 'bytes'),
  'Content-Length': header('Bytes of this answer.', '4404019'),
  'Content-Disposition': header('`file_name`; `attachment` for a download.', 'inline; filename="song.m4a"'),
  'Cache-Control': header('Until the address ends.', 'private, max-age=3600, no-transform'),
  ...headersNamed('X-Request-Id'),
}
const bytes = { 'audio/*': {}, 'image/*': {}, 'video/*': {}, 'application/octet-stream': {}, 'application/json': {} }

/** Contract, section 6. */
export function deliveryPath(writer: DocumentWriter, deliveryUrl: string): object {
  const range = { 'Content-Range': header('Which part of how many bytes.', 'bytes 0-1/4404019') }
  const refusal = (codes: Parameters<typeof failure>[0]) => writer.failures(codes)
  const conditional = (name: string, said: string, example: string) => ({
    ...{ name, in: 'header', description: said, schema: { type: 'string' }, example },
  })
  const operation = (operationId: string, summary: string) => ({
    operationId,
    tags: ['Delivery'],
    summary,
    description:
      'Streams redirect here, and `url` of a file is such an address. Browsers get failures as a page (Accept prefers text/html).',
    security: [],
    responses: {
      '200': { description: 'The whole file.', headers: fileHeaders, content: bytes },
      '206': { description: 'The part that was asked for.', headers: { ...fileHeaders, ...range }, content: bytes },
      '304': { description: 'It did not change.', headers: headersNamed('X-Request-Id') },
      '412': {
        description: 'The file is not the version that If-Match or If-Unmodified-Since demands.',
        headers: headersNamed('X-Request-Id'),
      },
      '416': { description: 'There is no such part.', headers: range },
      ...refusal(['forbidden', 'not_found', 'expired', 'internal', 'unavailable', 'timeout']),
    },
  })
  return {
    servers: [
      {
        url: deliveryUrl,
        description: 'The delivery domain of the organization.',
        variables: { org_domain: { default: 'cdn.example.com', description: "The organization's own." } },
      },
    ],
    parameters: [
      ...writer.parameters(filePath, 'path'),
      ...writer.parameters(verify, 'query'),
      conditional('Range', 'One part of the file. HEAD ignores it.', 'bytes=0-1'),
      conditional('If-Range', 'The part only if the file did not change.', `"${SHA256}"`),
      conditional('If-None-Match', 'The file only if it changed.', `"${SHA256}"`),
      conditional('If-Match', 'The file only if it did not change, else 412.', `"${SHA256}"`),
      conditional('If-Unmodified-Since', 'The same by date.', 'Mon, 04 May 2026 09:30:00 GMT'),
    ],
    get: operation('getFile', 'Delivers a file, or a part of it.'),
    head: operation('headFile', 'What is known of a file.'),
  }
}
