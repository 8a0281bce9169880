import { z } from 'zod'
import type { Services } from '../../platform/context.ts'
import type { UploadTarget } from '../../platform/identity/signing.ts'
import * as shape from '../../platform/schema/shape.ts'

/** How long an upload address works: an upload may begin until its end. */
export const UPLOAD_SECONDS = 3600

const handleShape = <M extends 'PUT' | 'POST'>(method: M, path: string) =>
  z.object({
    method: z.literal(method),
    uploadUrl: shape.url(
      'Signed; takes one upload.',
      `https://edge.example.com/upload/${path}/${shape.EXAMPLE_ID}?issued=1777887000000&expires=1777890600000&signature=x`,
    ),
    ttl: shape.wholeNumber('Seconds for which an upload may begin.', UPLOAD_SECONDS),
    expiresAt: shape.time('When that ends.'),
  })

/** What a client is handed to upload to (specification, section 2, Upload target objects). */
export const trackUploadShape = handleShape('PUT', 'track').meta({
  id: 'TrackUpload',
  description: 'Where the bytes of the recording are sent, raw, as any content type.',
})
export const coverUploadShape = handleShape('POST', 'track-cover').meta({
  id: 'CoverUpload',
  description: 'Where a cover is sent: raw, or as the one file of a form.',
})
export type UploadHandle<M extends 'PUT' | 'POST' = 'PUT' | 'POST'> = Omit<
  z.input<typeof trackUploadShape>,
  'method'
> & { method: M }

type MethodOf<T extends UploadTarget> = T extends 'track' ? 'PUT' : 'POST'
const methodOf = <T extends UploadTarget>(target: T) => (target === 'track' ? 'PUT' : 'POST') as MethodOf<T>

/**
 * Signs an address that takes one upload: PUT for a recording, POST for a cover.
 * @param isOnEdge whether it is one of the edge even where recordings go straight into a bucket
 */
export function uploadHandle<T extends UploadTarget>(
  services: Services,
  target: T,
  id: string,
  isOnEdge = false,
): UploadHandle<MethodOf<T>> {
  const issuedMs = services.clock().getTime()
  const expiresMs = issuedMs + UPLOAD_SECONDS * 1000
  const presign = target === 'track' && !isOnEdge ? services.storage.presign : undefined
  const direct = presign?.putUrl(incomingKey(id), UPLOAD_SECONDS)
  return {
    method: methodOf(target),
    uploadUrl: direct ?? services.config.edgeUrl + services.signing.uploadPath({ target, id, issuedMs, expiresMs }),
    ttl: UPLOAD_SECONDS,
    expiresAt: new Date(expiresMs),
  }
}

/** Where a client's presigned PUT of a track lands. */
export const incomingKey = (trackId: string) => `incoming/${trackId}`
