import type { Services } from '../../platform/context.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { changeStatus } from '../track/status.ts'
import { noticeDirectUpload } from './direct.ts'

const BATCH = 500
const EVERY_MINUTE = '* * * * *'
/** An upload must begin before its address expires and may then take up to 6 hours. */
const LONGEST_UPLOAD_MS = 6 * 3_600_000

/** Tracks that wait for an upload by a client. */
const waiting = {
  status: 'initialized',
  uploadCompletedAt: null,
  deletedAt: null,
  sourcePull: null,
} satisfies Prisma.TrackWhereInput

/** Finds completed uploads in the bucket without a notification (contract, section 5). */
export const noticeUploadsTask = task(
  periodic('notice_uploads'),
  async (services) => {
    if (!services.storage.presign) return
    const tracks = await services.db.track.findMany({
      where: waiting,
      orderBy: { createdAt: 'asc' },
      select: { id: true },
      take: BATCH,
    })
    for (const { id } of tracks) await noticeDirectUpload(services, id)
  },
  EVERY_MINUTE,
)

/** Makes tracks `init_error` whose upload address expired unused (contract, section 4). */
export const expireUploadsTask = task(
  periodic('expire_uploads'),
  async (services) => {
    const now = services.clock()
    const longAgo = new Date(now.getTime() - LONGEST_UPLOAD_MS)
    const ended: Prisma.TrackWhereInput = {
      ...waiting,
      // The service does not see the beginning of an upload to the bucket.
      uploadExpiresAt: { lte: services.storage.presign ? longAgo : now },
      AND: [
        { OR: [{ uploadBeganAt: null }, { uploadBeganAt: { lte: longAgo } }] },
        { OR: [{ resumableUpload: null }, { resumableUpload: { expiresAt: { lte: now } } }] },
      ],
    }
    for (const { id } of await services.db.track.findMany({ where: ended, select: { id: true }, take: BATCH })) {
      const data = {
        statusCode: 'upload_expired',
        statusText: 'No recording was uploaded before the upload address expired.',
      }
      const change = { from: ['initialized'], to: 'init_error', where: ended, data } as const
      await services.db.$transaction((tx) => changeStatus(services, tx, id, change))
    }
    await removeExpiredPieces(services, now)
  },
  EVERY_MINUTE,
)

/** Deletes the bytes of expired uploads, unless a request is writing to them. */
async function removeExpiredPieces({ db, storage }: Services, now: Date): Promise<void> {
  const where: Prisma.ResumableUploadWhereInput = {
    expiresAt: { lte: now },
    OR: [{ leaseEndsAt: null }, { leaseEndsAt: { lte: now } }],
  }
  for (const { trackId } of await db.resumableUpload.findMany({ where, take: BATCH })) {
    const { count } = await db.resumableUpload.deleteMany({ where: { ...where, trackId } })
    if (count > 0) await storage.pieces?.discard(trackId)
  }
}
