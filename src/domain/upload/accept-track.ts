import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { UploadGrant } from '../../platform/identity/signing.ts'
import { newSourceKey } from '../track/service.ts'
import { completeTrack } from './complete.ts'
import { createRefusal, findUploadableTrack } from './open.ts'
import { type AcceptedUpload, receiveBody, type UploadBody } from './receive-body.ts'

/**
 * Accepts the recording of a track by its signed address. Of several concurrent uploads one succeeds.
 * @param grant from the address, whose signature has been verified
 * @throws AppError `expired`, `upload_completed`, `source_url_given`, `not_found`, `too_large`, `invalid_input`
 * @see contract, section 5
 */
export async function acceptTrack(services: Services, grant: UploadGrant, body: UploadBody): Promise<AcceptedUpload> {
  const track = await findUploadableTrack(services, grant)
  const { id, announcedBytes } = track
  return receiveBody(services, body, {
    key: newSourceKey(track),
    maxBytes: services.config.maxUploadBytes,
    announcedBytes: announcedBytes === null ? null : Number(announcedBytes),
    read: (chunks) => markWhileReceiving(services, id, chunks),
    async complete(incoming) {
      await completeTrack(services, id, incoming)
      // Bytes of an unfinished resumable upload of the same track.
      await services.storage.pieces?.discard(id)
    },
  })
}

/** Interval at which a running upload is recorded. The longest pause between two chunks is added to it. */
const MARK_MS = 60_000

/**
 * Passes the bytes of a recording on and records that they arrive, so that the track does not expire. The mark is never
 * removed, because another upload of the same track may be running: it ages (`expire_uploads`).
 * @throws AppError `upload_completed`, `expired` when the track has ended since
 */
async function* markWhileReceiving(
  services: Services,
  id: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let markedAt = services.clock()
  await mark(services, id, markedAt)
  for await (const chunk of chunks) {
    const now = services.clock()
    if (now.getTime() - markedAt.getTime() >= MARK_MS) {
      markedAt = now
      // While the database is unavailable the upload continues; the next mark is a minute later.
      await mark(services, id, now).catch((error) => {
        if (error instanceof AppError) throw error
      })
    }
    yield chunk
  }
}

async function mark({ db }: Services, id: string, now: Date): Promise<void> {
  const where = { id, status: 'initialized', uploadCompletedAt: null } as const
  const { count } = await db.track.updateMany({ where, data: { uploadActiveAt: now } })
  if (count > 0) return
  throw createRefusal(await db.track.findUnique({ where: { id }, select: { statusCode: true } }))
}
