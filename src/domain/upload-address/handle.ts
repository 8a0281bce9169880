import { z } from 'zod'
import type { Services } from '../../platform/context.ts'
import type { UploadTarget } from '../../platform/identity/signing.ts'
import { integer, text, time, url } from '../../platform/schema/fields.ts'
import { restShape } from '../../platform/schema/record.ts'
import { EXAMPLE_ID } from '../../platform/schema/rules.ts'
import { incomingKey } from './incoming.ts'

/** Seconds in which an upload to an address may begin. */
export const UPLOAD_SECONDS = 3600

/** Specification, section 2, Upload target objects. */
export const uploadHandleFields = {
  method: text({ description: 'HTTP method: `PUT` for a recording, `POST` for a cover.' }),
  uploadUrl: text({ description: 'Signed URL for one upload.' }),
  ttl: integer({ description: 'Seconds in which the upload may begin.', example: UPLOAD_SECONDS }),
  expiresAt: time({ description: 'Time before which the upload must begin.' }),
}

/** Only an address of a bucket has it. */
export const partsUrlField = url({
  description:
    'Signed URL that takes the recording in parts, which the bucket receives. Only with `STORAGE=s3`, for a recording that ' +
    'a client uploads.',
  example: `https://edge.example.com/upload/track-parts/${EXAMPLE_ID}?organization=${EXAMPLE_ID}&issued=1777887000000&expires=1777890600000&signature=x`,
})

const handleShape = <M extends 'PUT' | 'POST'>(method: M, path: string) =>
  z.object({
    ...restShape(uploadHandleFields),
    method: z.literal(method),
    uploadUrl: url({
      description: uploadHandleFields.uploadUrl.description,
      example: `https://edge.example.com/upload/${path}/${EXAMPLE_ID}?organization=${EXAMPLE_ID}&issued=1777887000000&expires=1777890600000&signature=x`,
    }).restShape,
  })

export const trackUploadShape = handleShape('PUT', 'track')
  .extend({ partsUrl: partsUrlField.restShape.optional() })
  .meta({
    id: 'TrackUpload',
    description: `Takes the recording as a raw body with any content type.

An address of the service answers with \`ETag\` and \`x-checksum-sha256\`. It refuses an empty body and another size than
\`file_size\` with 400 \`invalid_input\`, a body above the limit with 413 \`too_large\`, a second upload with 409
\`upload_completed\`, an expired address with 410 \`expired\` and a wrong signature with 403 \`forbidden\`.

With \`STORAGE=s3\` it is a presigned address of the bucket, which answers in its own form (XML) and cannot apply these
rules:

- A second PUT before the upload is accepted replaces the object. Later ones are answered 200 and have no effect.
- There is no \`x-checksum-sha256\`, and \`ETag\` is that of the bucket.
- Sizes are checked after the upload: the track becomes \`init_error\` with \`empty\`, \`too_large\` or
  \`upload_size_mismatch\`.
- An expired address, or a wrong signature, is 403.
- A bucket may require \`Content-Length\`, and takes at most 5 GiB.

\`parts_url\` takes larger recordings, and continues after a broken connection. POST it with the size in bytes in
\`Upload-Length\`. The answer has \`parts\`, up to 100 that the bucket does not have: each with \`part_number\`,
\`offset\`, \`bytes\` and \`upload_url\`. PUT these bytes of the recording there, a few at once, and POST again. The
upload is complete when the answer has \`is_complete\`: true. DELETE cancels it. It must begin within an hour, and be
complete within a day.`,
  })
export const coverUploadShape = handleShape('POST', 'track-cover').meta({
  id: 'CoverUpload',
  description: 'Takes a cover, as a raw body or as the only file of a form.',
})
export type UploadHandle<M extends 'PUT' | 'POST' = 'PUT' | 'POST'> = Omit<
  z.input<typeof trackUploadShape>,
  'method'
> & { method: M }

type MethodOf<T extends UploadTarget> = T extends 'track' ? 'PUT' : 'POST'
const chooseMethod = <T extends UploadTarget>(target: T) => (target === 'track' ? 'PUT' : 'POST') as MethodOf<T>

/**
 * Signs an address that takes one upload: PUT for a recording, POST for a cover.
 * @param isOnEdge use the edge even if recordings are uploaded to a bucket. Defaults to false
 */
export function uploadHandle<T extends UploadTarget>(
  services: Services,
  target: T,
  { id, organizationId }: { id: string; organizationId: string },
  isOnEdge = false,
): UploadHandle<MethodOf<T>> {
  const issuedMs = services.clock().getTime()
  const expiresMs = issuedMs + UPLOAD_SECONDS * 1000
  const presign = target === 'track' && !isOnEdge ? services.storage.presign : undefined
  const direct = presign?.putUrl(incomingKey(id), UPLOAD_SECONDS)
  const signEdgeUrl = (edgeTarget: UploadTarget) =>
    services.config.edgeUrl +
    services.signing.uploadPath({ target: edgeTarget, id, organizationId, issuedMs, expiresMs })
  return {
    method: chooseMethod(target),
    uploadUrl: direct ?? signEdgeUrl(target),
    ...(direct && { partsUrl: signEdgeUrl('track-parts') }),
    ttl: UPLOAD_SECONDS,
    expiresAt: new Date(expiresMs),
  }
}
