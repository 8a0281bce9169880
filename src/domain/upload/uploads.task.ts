import type { Services } from '../../platform/context.ts'
import { exclusively } from '../../platform/db/exclusive.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { locks } from '../../platform/db/locks.ts'
import { forEach } from '../../platform/for-each.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { UUID_PATTERN } from '../../platform/uuid.ts'
import { changeStatus } from '../track/status.ts'
import { INCOMING, incomingKey } from '../upload-address/incoming.ts'
import { noticeDirectUpload, waiting } from './direct.ts'
import { UPLOAD_EXPIRED } from './open.ts'
import { completeIfWhole, discardParts, toUpload } from './resumable/parts.ts'

/** Tracks that are read at once. */
const BATCH = 500
const EVERY_MINUTE = '* * * * *'
/** Longest upload to the bucket, whose beginning the service does not see. It must begin before its address expires. */
const LONGEST_DIRECT_MS = 6 * HOUR_MS
/** A running upload to the edge is recorded every few minutes, for any duration. */
const ACTIVE_MS = 10 * 60_000
/** Pages of 1,000 objects in one round. */
const MAX_PAGES = 100
/** Objects that are examined at once. */
const PARALLEL = 8

const KEY = new RegExp(`^${INCOMING}(${UUID_PATTERN})$`)

/**
 * Finds completed uploads in the bucket without a notification (contract, section 5). The cost of a round follows the
 * number of uploaded objects, however many tracks wait for one.
 */
export const noticeUploadsTask = task(
  periodic('notice_uploads'),
  async (services, _, { signal }) => {
    const { storage, direct, log } = services
    const { presign } = storage
    if (!presign) return
    await exclusively(direct, locks.noticeUploads, async () => {
      let token: string | null = null
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const { objects, next } = await presign.list(INCOMING, token, signal)
        await examine(services, objects, signal)
        if (next === null || signal.aborted) return
        token = next
      }
      log.warn(`more than ${MAX_PAGES},000 objects are in ${INCOMING}: later ones are not examined`)
    })
  },
  EVERY_MINUTE,
)

/**
 * Completes the uploads of waiting tracks, and removes objects that no track can take any more. A failure of one object
 * is logged, and the next round tries it again.
 */
async function examine(
  services: Services,
  objects: readonly { key: string; modified: Date }[],
  signal: AbortSignal,
): Promise<void> {
  const { db, storage, clock } = services
  const ids = objects.flatMap(({ key }) => KEY.exec(key)?.[1] ?? [])
  const tracks = await db.track.findMany({ where: { id: { in: ids } }, select: { id: true } })
  const open = await db.track.findMany({ where: { ...waiting, id: { in: ids } }, select: { id: true } })
  const knownIds = new Set(tracks.map(({ id }) => id))
  const isOpen = new Set(open.map(({ id }) => id))
  const dayAgo = new Date(clock().getTime() - DAY_MS)
  await forEach(objects, PARALLEL, async ({ key, modified }) => {
    if (signal.aborted) return
    const id = KEY.exec(key)?.[1]
    try {
      if (id && isOpen.has(id)) await noticeDirectUpload(services, id, signal)
      // An object of an unknown track may belong to another service that shares the bucket by mistake.
      else if ((id && knownIds.has(id)) || modified < dayAgo) {
        for (const { error } of await storage.remove([key], signal)) throw error
      }
    } catch (error) {
      if (signal.aborted) return
      services.log.error({ err: error, key }, 'an upload in the bucket could not be examined; it is tried again')
    }
  })
}

/** Makes tracks `init_error` whose upload address expired unused (contract, section 4). */
export const expireUploadsTask = task(
  periodic('expire_uploads'),
  async (services, _, { signal }) => {
    const now = services.clock()
    await exclusively(services.direct, locks.expireUploads, () => expireTracks(services, now, signal))
    await removeExpiredPieces(services, now)
  },
  EVERY_MINUTE,
)

async function expireTracks(services: Services, now: Date, signal: AbortSignal): Promise<void> {
  const { db, storage } = services
  const before = (ms: number) => new Date(now.getTime() - ms)
  const ended: Prisma.TrackWhereInput = {
    ...waiting,
    uploadExpiresAt: { lte: storage.presign ? before(LONGEST_DIRECT_MS) : now },
    AND: [
      { OR: [{ uploadActiveAt: null }, { uploadActiveAt: { lte: before(ACTIVE_MS) } }] },
      { OR: [{ resumableUpload: null }, { resumableUpload: { expiresAt: { lte: now } } }] },
    ],
  }
  // By id, so that tracks that cannot be examined do not exclude later ones.
  for (let after: string | null = null; !signal.aborted; ) {
    const where: Prisma.TrackWhereInput = after === null ? ended : { AND: [ended, { id: { gt: after } }] }
    const endedTracks = await db.track.findMany({ where, orderBy: { id: 'asc' }, select: { id: true }, take: BATCH })
    await forEach(endedTracks, PARALLEL, (track) => expireTrack(services, track.id, ended, signal))
    if (endedTracks.length < BATCH) return
    after = endedTracks.at(-1)?.id ?? null
  }
}

async function expireTrack(services: Services, id: string, ended: Prisma.TrackWhereInput, signal: AbortSignal) {
  if (signal.aborted) return
  try {
    // A complete upload is never expired (contract, section 5).
    if (await services.storage.presign?.find(incomingKey(id), signal)) {
      await noticeDirectUpload(services, id, signal)
      return
    }
    if (await completeIfWhole(services, id)) return
    const data = {
      statusCode: UPLOAD_EXPIRED,
      statusText: 'No recording was uploaded before the upload address expired.',
    }
    const change = { from: ['initialized'], to: 'init_error', where: ended, data } as const
    await services.db.$transaction((tx) => changeStatus(services, tx, id, change))
  } catch (error) {
    if (signal.aborted) return
    services.log.error({ err: error, trackId: id }, 'an upload could not be expired; it is tried again')
  }
}

/**
 * Deletes the bytes of expired uploads, unless a request is writing to them. Parts stay until their track has ended: they
 * may be complete, while the bucket cannot be asked.
 */
async function removeExpiredPieces(services: Services, now: Date): Promise<void> {
  const { db, storage } = services
  const where: Prisma.ResumableUploadWhereInput = {
    expiresAt: { lte: now },
    AND: [
      { OR: [{ leaseEndsAt: null }, { leaseEndsAt: { lte: now } }] },
      { OR: [{ bucketUploadId: null }, { track: { NOT: waiting } }] },
    ],
  }
  for (const { trackId, ...row } of await db.resumableUpload.findMany({ where, take: BATCH })) {
    const { count } = await db.resumableUpload.deleteMany({ where: { ...where, trackId } })
    if (count === 0) continue
    await storage.pieces?.discard(trackId)
    await discardParts(services, toUpload(row))
  }
}
