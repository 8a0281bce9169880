import { z } from 'zod'
import { integer, text } from '../../../platform/schema/fields.ts'
import { uuidRule } from '../../../platform/schema/rules.ts'
import { type failure, headersNamed } from './answers.ts'
import type { DocumentWriter } from './document-writer.ts'
import { partsOperations } from './parts.ts'
import { resumableOperations } from './resumable.ts'

const SHA256 = 'a3f1'.repeat(16)

const accepted = z
  .object({
    ok: z.literal(true),
    size: integer({ description: 'Received bytes.', example: 31_752_044 }).restShape,
    sha256: text({ description: 'SHA-256 of the bytes, lower-case hexadecimal.', example: SHA256 }).restShape,
  })
  .meta({ id: 'Accepted' })

const grant = z.object({
  issued: text({ description: 'Part of the address.', example: '1777887000000' }).restShape,
  expires: text({ description: 'Part of the address.', example: '1777890600000' }).restShape,
  signature: text({ description: 'Part of the address.', example: 'XsZ5NmtNBxOd4f4fBOtqVmpWRnDRNkHKVZieqDPKu3U' })
    .restShape,
})
const record = z.object({ id: uuidRule.describe('ID of the record.') })

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

/** Upload addresses of upload handles (contract, section 5). Clients use an address unchanged. */
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
    description:
      'The address of an upload handle, unchanged. It accepts one upload, which must start before it expires and arrive at 16 KiB per second or faster. An edge that receives too many uploads at once answers 503 with `Retry-After`.',
    security: [],
    requestBody: { required: true, description: 'The bytes, with or without chunked encoding.', content },
    responses: {
      '200': {
        ...writer.success('The upload is complete and stored.', accepted),
        headers: {
          ETag: { description: 'The checksum in quotes.', schema: { type: 'string' }, example: `"${SHA256}"` },
          'x-checksum-sha256': { description: 'Lower-case hexadecimal.', schema: { type: 'string' }, example: SHA256 },
          ...headersNamed('X-Request-Id'),
        },
      },
      ...writer.failures([
        'invalid_input',
        'forbidden',
        'not_found',
        'upload_completed',
        'source_url_given',
        'upload_in_use',
        'expired',
        'too_large',
        'unsupported_media_type',
        'internal',
        'unavailable',
        'timeout',
      ]),
    },
  })
  const describeCover = (owner: string) => `Uploads the cover of ${owner}.`
  return {
    '/upload/track/{id}': path({
      put: whole('uploadTrack', 'Uploads the recording of a track.', recording),
      ...resumableOperations(writer),
    }),
    '/upload/track-parts/{id}': path(partsOperations(writer)),
    '/upload/track-cover/{id}': path({ post: whole('uploadTrackCover', describeCover('a track'), cover) }),
    '/upload/collection-cover/{id}': path({
      post: whole('uploadCollectionCover', describeCover('a collection'), cover),
    }),
    '/upload/organization-cover/{id}': path({
      post: whole('uploadOrganizationCover', describeCover('the organization'), cover),
    }),
  }
}

const filePath = z.object({
  filePath: text({
    description: 'Path of the file. Slashes are not escaped.',
    example: '0199c3f0/0199c3f1/Ab3dE5gH1j_hq.m4a',
  }).restShape,
})
const verify = z.object({
  verify: text({ description: 'Time of the signature, and the signature.', example: '1777887000-XsZ5NmtNBxOd4f4fBOtq' })
    .restShape,
})

const header = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
const fileHeaders = {
  ETag: header('Strong tag of the bytes.', `"${SHA256}"`),
  'Last-Modified': header('Time at which the file was created.', 'Mon, 04 May 2026 09:30:00 GMT'),
  'Accept-Ranges': header('Range requests are supported.', 'bytes'),
  'Content-Length': header('Bytes of this answer.', '4404019'),
  'Content-Disposition': header('`file_name`; `attachment` for a download.', 'inline; filename="song.m4a"'),
  'Cache-Control': header('Expires with the address.', 'private, max-age=3600, no-transform'),
  ...headersNamed('X-Request-Id'),
}
const bytes = { 'audio/*': {}, 'image/*': {}, 'video/*': {}, 'application/octet-stream': {}, 'application/json': {} }

/** Contract, section 6. */
export function deliveryPath(writer: DocumentWriter, deliveryUrl: string): object {
  const range = { 'Content-Range': header('The range, and the size of the file.', 'bytes 0-1/4404019') }
  const failures = (codes: Parameters<typeof failure>[0]) => writer.failures(codes)
  const conditional = (name: string, description: string, example: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
    example,
  })
  const operation = (operationId: string, summary: string) => ({
    operationId,
    tags: ['Delivery'],
    summary,
    description:
      'Target of stream links, and `url` of a file. Browsers get errors as a page (Accept prefers text/html).',
    security: [],
    responses: {
      '200': { description: 'The whole file.', headers: fileHeaders, content: bytes },
      '206': { description: 'The requested range.', headers: { ...fileHeaders, ...range }, content: bytes },
      '304': { description: 'The file has not changed.', headers: headersNamed('X-Request-Id') },
      '412': {
        description: 'The file has another version than If-Match or If-Unmodified-Since requires.',
        headers: headersNamed('X-Request-Id'),
      },
      '416': { description: 'The range is outside of the file.', headers: range },
      ...failures(['forbidden', 'not_found', 'expired', 'rate_limited', 'internal', 'unavailable', 'timeout']),
    },
  })
  return {
    servers: [
      {
        url: deliveryUrl,
        description: 'The delivery domain of the organization.',
        variables: { org_domain: { default: 'cdn.example.com', description: "The organization's domain." } },
      },
    ],
    parameters: [
      ...writer.parameters(filePath, 'path'),
      ...writer.parameters(verify, 'query'),
      conditional('Range', 'One range of the file. Ignored for HEAD.', 'bytes=0-1'),
      conditional('If-Range', 'Applies Range only if the file has not changed.', `"${SHA256}"`),
      conditional('If-None-Match', 'Returns the file only if it has changed.', `"${SHA256}"`),
      conditional('If-Match', 'Returns the file only if it has not changed, else 412.', `"${SHA256}"`),
      conditional('If-Unmodified-Since', 'The same by date.', 'Mon, 04 May 2026 09:30:00 GMT'),
    ],
    get: operation('getFile', 'Delivers a file or a range of it.'),
    head: operation('headFile', 'Returns the headers of a file.'),
  }
}
