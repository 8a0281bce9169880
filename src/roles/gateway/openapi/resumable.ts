import { headersNamed } from './answers.ts'
import type { DocumentWriter } from './document-writer.ts'

const asked = (name: string, description: string, example: string, required = false) => ({
  ...{ name, in: 'header', required, description, schema: { type: 'string' }, example },
})
const shown = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

const version = asked('Tus-Resumable', 'The version of the protocol.', '1.0.0', true)
const length = asked('Upload-Length', 'Bytes of the whole recording.', '31752044')
const checksum = asked('Upload-Checksum', 'Algorithm and digest, as base64, of this piece.', 'sha256 pIRXbDkyq8a4')
const piece = { required: true, description: 'The next bytes.', content: { 'application/offset+octet-stream': {} } }

const progress = {
  'Upload-Offset': shown('Bytes that are kept.', '8388608'),
  'Upload-Length': shown('Bytes of the whole recording, once that is known.', '31752044'),
  'Upload-Defer-Length': shown('`1` until that is known.', '1'),
  'Upload-Expires': shown('When what is kept goes.', 'Tue, 05 May 2026 09:30:00 GMT'),
  'Tus-Resumable': shown('The version of the protocol.', '1.0.0'),
  ...headersNamed('X-Request-Id'),
}

/** The same address, a piece at a time (tus 1.0). */
export function resumableOperations(writer: DocumentWriter): Record<string, object> {
  const refusals = writer.failures([
    ...([
      'invalid_input',
      'forbidden',
      'not_found',
      'upload_completed',
      'source_url_given',
      'upload_offset_mismatch',
    ] as const),
    ...(['expired', 'unsupported_protocol_version', 'too_large', 'unsupported_media_type', 'upload_in_use'] as const),
    ...(['checksum_mismatch', 'internal', 'unavailable', 'timeout'] as const),
  ])
  const operation = (operationId: string, summary: string, status: number, said: string, rest: object) => ({
    operationId,
    tags: ['Uploads'],
    summary,
    description: 'For recordings that may not arrive at once: https://tus.io/protocols/resumable-upload.',
    security: [],
    responses: { [status]: { description: said, headers: progress }, ...refusals },
    ...rest,
  })
  return {
    post: operation('beginResumableUpload', 'Begins an upload in pieces.', 201, 'It has begun.', {
      parameters: [version, length, asked('Upload-Defer-Length', '`1`: the length is told later.', '1'), checksum],
      requestBody: { ...piece, required: false },
    }),
    head: operation('getResumableUpload', 'How much of it has arrived.', 200, 'So much is kept.', {
      parameters: [version],
    }),
    patch: operation('continueResumableUpload', 'Takes the next piece.', 204, 'It is kept.', {
      parameters: [version, asked('Upload-Offset', 'Where the piece begins.', '8388608', true), length, checksum],
      requestBody: piece,
    }),
    delete: operation('cancelResumableUpload', 'Throws away what has arrived.', 204, 'Nothing is kept.', {
      parameters: [version],
    }),
  }
}
