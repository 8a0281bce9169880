import type { Services } from '../../platform/context.ts'
import type { UploadTarget } from '../../platform/signing.ts'

/** How long an upload address works: an upload may begin until its end. */
export const UPLOAD_SECONDS = 3600

/** What a client is handed to upload to (specification, section 2, Upload target objects). */
export interface UploadHandle {
  method: 'PUT' | 'POST'
  uploadUrl: string
  /** Seconds. */
  ttl: number
  expiresAt: Date
}

/**
 * Signs an address that takes one upload: PUT for a recording, POST for a cover.
 * @param isOnEdge whether it is one of the edge even where recordings go straight into a bucket
 */
export function uploadHandle(services: Services, target: UploadTarget, id: string, isOnEdge = false): UploadHandle {
  const issuedMs = services.clock().getTime()
  const expiresMs = issuedMs + UPLOAD_SECONDS * 1000
  const presign = target === 'track' && !isOnEdge ? services.storage.presign : undefined
  const direct = presign?.putUrl(incomingKey(id), UPLOAD_SECONDS)
  return {
    method: target === 'track' ? 'PUT' : 'POST',
    uploadUrl: direct ?? services.config.edgeUrl + services.signing.uploadPath({ target, id, issuedMs, expiresMs }),
    ttl: UPLOAD_SECONDS,
    expiresAt: new Date(expiresMs),
  }
}

/** Where a client's presigned PUT of a track lands. */
export const incomingKey = (trackId: string) => `incoming/${trackId}`
