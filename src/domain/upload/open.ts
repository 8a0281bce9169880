import type { Services } from '../../platform/context.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { UploadGrant } from '../../platform/identity/signing.ts'

/** Status code of a track whose recording was not uploaded in time. */
export const UPLOAD_EXPIRED = 'upload_expired'

export const alreadyCompleted = () => new AppError('upload_completed', 'This upload address has already been used.')
export const expired = () => new AppError('expired', 'This upload address has expired. Request a new one.')

/** Returns why a track accepts no recording any more. */
export const createRefusal = (track: { statusCode: string | null } | null): AppError =>
  track?.statusCode === UPLOAD_EXPIRED ? expired() : alreadyCompleted()

/** Returns whether an error reports that a track accepts no recording any more. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'upload_completed' || error.code === 'expired')

/**
 * Returns the track of an upload address that still accepts bytes. Refusals are sent before the client sends the bytes.
 * @param isResumed accept an upload that has begun after the address has expired. Defaults to false
 * @throws AppError `not_found`, `upload_completed`, `source_url_given`, `expired`
 */
export async function findUploadableTrack(services: Services, { id, expiresMs }: UploadGrant, isResumed = false) {
  const track = await services.db.track.findFirst({
    where: { id, deletedAt: null, collection: { deletedAt: null } },
    include: { resumableUpload: true, sourcePull: { select: { trackId: true } } },
  })
  if (!track) throw notFound('uploadUrl')
  if (track.uploadCompletedAt) throw alreadyCompleted()
  if (track.sourcePull) {
    throw new AppError('source_url_given', 'The recording of this track is fetched from its source_url.')
  }
  const begun = isResumed ? track.resumableUpload : null
  const end = begun?.expiresAt.getTime() ?? expiresMs
  if (services.clock().getTime() >= end || track.status !== 'initialized') throw expired()
  return track
}
