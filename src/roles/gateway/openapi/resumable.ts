import { headersNamed } from './answers.ts'
import type { DocumentWriter } from './document-writer.ts'

const requestHeader = (name: string, description: string, example: string, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example,
})
const responseHeader = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

const version = requestHeader('Tus-Resumable', 'Version of the protocol.', '1.0.0', true)
const length = requestHeader('Upload-Length', 'Bytes of the whole recording.', '31752044')
const checksum = requestHeader('Upload-Checksum', 'Algorithm and base64 digest of this piece.', 'sha256 pIRXbDkyq8a4')
const piece = { required: true, description: 'The next bytes.', content: { 'application/offset+octet-stream': {} } }

const progress = {
  'Upload-Offset': responseHeader('Number of stored bytes.', '8388608'),
  'Upload-Length': responseHeader('Bytes of the whole recording, if known.', '31752044'),
  'Upload-Defer-Length': responseHeader('`1` while the length is unknown.', '1'),
  'Upload-Metadata': responseHeader('Of HEAD: what the client has sent.', 'filename c29uZy53YXY='),
  'Upload-Expires': responseHeader('Time at which the stored bytes are deleted.', 'Tue, 05 May 2026 09:30:00 GMT'),
  'Tus-Resumable': responseHeader('Version of the protocol.', '1.0.0'),
  ...headersNamed('X-Request-Id'),
}

/** The same address for uploads in pieces (tus 1.0). */
export function resumableOperations(writer: DocumentWriter): Record<string, object> {
  const failures = writer.failures([
    'invalid_input',
    'forbidden',
    'not_found',
    'upload_completed',
    'source_url_given',
    'upload_offset_mismatch',
    'expired',
    'unsupported_protocol_version',
    'too_large',
    'unsupported_media_type',
    'upload_in_use',
    'checksum_mismatch',
    'internal',
    'unavailable',
    'timeout',
  ])
  const operation = (operationId: string, summary: string, status: number, result: string, rest: object) => ({
    operationId,
    tags: ['Uploads'],
    summary,
    description:
      'For uploads that may be interrupted: https://tus.io/protocols/resumable-upload. Only what OPTIONS announces is accepted; `Upload-Concat` is refused with 400.',
    security: [],
    responses: { [status]: { description: result, headers: progress }, ...failures },
    ...rest,
  })
  return {
    post: operation('beginResumableUpload', 'Starts a resumable upload.', 201, 'The upload has started.', {
      parameters: [
        version,
        length,
        requestHeader('Upload-Defer-Length', '`1`: the length is sent later.', '1'),
        requestHeader(
          'Upload-Metadata',
          'Pairs of a key and a base64 value. HEAD returns them.',
          'filename c29uZy53YXY=',
        ),
        checksum,
      ],
      requestBody: { ...piece, required: false },
    }),
    head: operation('getResumableUpload', 'Returns the progress of a resumable upload.', 200, 'The progress.', {
      parameters: [version],
    }),
    patch: operation('continueResumableUpload', 'Uploads the next piece.', 204, 'The piece is stored.', {
      parameters: [version, requestHeader('Upload-Offset', 'Offset of the piece.', '8388608', true), length, checksum],
      requestBody: piece,
    }),
    delete: operation('cancelResumableUpload', 'Cancels a resumable upload.', 204, 'The stored bytes are deleted.', {
      parameters: [version],
    }),
  }
}
