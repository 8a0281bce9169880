import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import { AppError } from '../../../platform/errors.ts'
import { type TaskRun, task } from '../../../platform/jobs/task.ts'
import { TooLargeError } from '../../../platform/storage/storage.ts'
import { HOUR_MS } from '../../../platform/time.ts'
import { safeFileName } from '../../delivery/name.ts'
import { crashPauseMs, failurePauseMs, isLastFailure, pauseUntilEnd } from '../../processing/pauses.ts'
import { newSourceKey } from '../../track/service.ts'
import { changeStatus } from '../../track/status.ts'
import { completeTrack } from '../complete.ts'
import { readAddress } from './address.ts'
import { PullError, toPullError } from './failure.ts'
import { fetchSource } from './fetch.ts'
import { queueAttempt } from './queue.ts'
import { pullSource } from './schema.ts'

const gaveUp = new PullError('source_pull_failed', 'The recording could not be fetched from the source.')

/** Fetches the recording of a track that was created with a `source_url`. */
export const pullSourceTask = task(pullSource, (services, { trackId }, run) => pullTrack(services, trackId, run))

/** Temporary failures of the source after which the pull is given up. */
const MAX_TRIES = 4
/** Pause in milliseconds after each of them. */
const tryPausesMs = [3_000, 7_000, 20_000]
/** Upper bound for the Retry-After of a source. */
const LONGEST_RETRY_AFTER_MS = HOUR_MS

/** Recordings that a worker fetches for one organization at once: a sixth of its slots for transfers. */
const MAX_OF_ORGANIZATION = 4
/** Time after which a recording beyond them tries again. */
const BUSY_PAUSE_MS = 5_000

/** Numbers of recordings that this process is fetching, by organization. */
const fetching = new Map<string, number>()

/** Fetches a recording, or queues it again while its organization has as many as it may. */
async function pullWithinShare(services: Services, started: Started, signal: AbortSignal): Promise<void> {
  const { organizationId } = started.track
  const count = fetching.get(organizationId) ?? 0
  if (count >= MAX_OF_ORGANIZATION) return queueAgain(services, started, {}, BUSY_PAUSE_MS)
  fetching.set(organizationId, count + 1)
  try {
    await pull(services, started.trackId, signal)
  } finally {
    const remainingPulls = (fetching.get(organizationId) ?? 1) - 1
    if (remainingPulls > 0) fetching.set(organizationId, remainingPulls)
    else fetching.delete(organizationId)
  }
}

/**
 * Makes one attempt. A permanent failure of the source, or the last temporary one, makes the track `init_error`.
 * Failures of storage, database and host are retried with growing pauses for 25 hours (contract, section 4).
 */
async function pullTrack(services: Services, trackId: string, run: TaskRun): Promise<void> {
  const { db, log } = services
  const started = await start(services, trackId)
  if (!started) return
  if (started.isAfterCrash) {
    const [now, failingSince] = [services.clock(), started.failingSince ?? services.clock()]
    if (isLastFailure(failingSince, now)) return giveUp(services, trackId, gaveUp)
    const pauseMs = pauseUntilEnd(crashPauseMs(started.crashes), failingSince, now)
    if (pauseMs > 0) return queueAgain(services, started, {}, pauseMs)
  }
  try {
    await pullWithinShare(services, started, run.signal)
  } catch (error) {
    // The track was deleted while its recording was being received. If it is restored, its upload expires.
    if (error instanceof AppError && error.code === 'upload_completed') {
      await db.sourcePull.deleteMany({ where: { trackId } })
      return
    }
    if (run.signal.aborted) {
      // The next attempt does not follow a crash.
      await db.sourcePull.updateMany({ where: { trackId }, data: { isRunning: false } })
      throw error
    }
    const reason = toPullError(error)
    if (!(reason instanceof PullError)) return retryLater(services, started, error)
    log.info({ trackId, code: reason.code, err: reason }, 'fetching a recording failed')
    if (!reason.isTemporary || started.tries + 1 >= MAX_TRIES) return giveUp(services, trackId, reason)
    const retryAfterMs = Math.min(LONGEST_RETRY_AFTER_MS, reason.retryAfterMs ?? 0)
    const pauseMs = Math.max(tryPausesMs[started.tries] ?? 0, retryAfterMs)
    await queueAgain(services, started, { tries: { increment: 1 } }, pauseMs)
  }
}

type Started = Prisma.SourcePullGetPayload<{ include: { track: { select: { organizationId: true } } } }> & {
  isAfterCrash: boolean
}

/**
 * Begins an attempt. A pull that is running is one whose worker died during the attempt before.
 * @returns null if the track was deleted or an earlier attempt has ended the pull
 */
async function start({ db, clock }: Services, trackId: string): Promise<Started | null> {
  const open = { trackId, track: { deletedAt: null, status: 'initialized' } } as const
  const include = { track: { select: { organizationId: true } } } as const
  return db.$transaction(async (tx) => {
    const before = await tx.sourcePull.findFirst({ where: open, select: { isRunning: true, failingSince: true } })
    if (!before) {
      await tx.sourcePull.deleteMany({ where: { trackId } })
      return null
    }
    const isAfterCrash = before.isRunning
    const failingSince = before.failingSince ?? (isAfterCrash ? clock() : null)
    const data = { isRunning: true, crashes: { increment: isAfterCrash ? 1 : 0 }, failingSince }
    return { ...(await tx.sourcePull.update({ where: { trackId }, data, include })), isAfterCrash }
  })
}

async function retryLater(services: Services, started: Started, error: unknown): Promise<void> {
  const { trackId } = started
  const failures = started.failures + 1
  services.log.error({ err: error, trackId }, 'receiving a recording failed; it is retried')
  const now = services.clock()
  const failingSince = started.failingSince ?? now
  if (isLastFailure(failingSince, now)) return giveUp(services, trackId, gaveUp)
  const pauseMs = pauseUntilEnd(failurePauseMs(failures), failingSince, now)
  await queueAgain(services, started, { failures: { increment: 1 }, failingSince }, pauseMs)
}

async function queueAgain(
  { db, clock }: Services,
  { trackId, track: { organizationId } }: Started,
  data: Prisma.SourcePullUpdateManyMutationInput,
  pauseMs: number,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.sourcePull.updateMany({ where: { trackId }, data: { ...data, isRunning: false } })
    if (count > 0) await queueAttempt(tx, organizationId, trackId, new Date(clock().getTime() + pauseMs))
  })
}

async function pull(services: Services, id: string, signal: AbortSignal): Promise<void> {
  const { db, storage, config, signing, metrics, clock } = services
  const { sealedUrl, isFileNameGiven, track } = await db.sourcePull.findUniqueOrThrow({
    where: { trackId: id },
    include: { track: { select: { id: true, organizationId: true, announcedBytes: true } } },
  })
  const { maxUploadBytes: maxBytes, isSourcePrivateAllowed: allowPrivate } = config
  const address = readAddress(signing.unseal(sealedUrl), allowPrivate)
  const { fileName, chunks, close } = await fetchSource(address, { maxBytes, allowPrivate, signal, clock })
  const received = storage.receive(newSourceKey(track), chunks, { maxBytes, signal }).catch((error) => {
    throw error instanceof TooLargeError ? tooLarge() : error
  })
  const incoming = await received.finally(close)
  try {
    checkBytes(incoming.bytes, track.announcedBytes)
    const named = fileName && !isFileNameGiven
    const data = named ? { fileName: safeFileName(fileName), fileNameOriginal: fileName } : {}
    const alongside = (tx: Transaction) => tx.track.updateMany({ where: { id, status: 'initialized' }, data })
    await completeTrack(services, id, incoming, named ? { alongside } : {})
  } finally {
    await incoming.discard()
  }
  metrics.uploadedBytes.inc(incoming.bytes)
}

const tooLarge = () => new PullError('too_large', 'The recording at the source is too large.')

function checkBytes(bytes: number, announcedBytes: bigint | null): void {
  if (bytes === 0) throw new PullError('source_empty', 'The recording at the source is empty.')
  if (announcedBytes === null || BigInt(bytes) === announcedBytes) return
  const message = `The recording at the source has ${bytes} bytes, but ${announcedBytes} were announced.`
  throw new PullError('source_size_mismatch', message)
}

async function giveUp(services: Services, trackId: string, { code: statusCode, message: statusText }: PullError) {
  await services.db.$transaction(async (tx) => {
    const change = { from: ['initialized'], to: 'init_error', data: { statusCode, statusText } } as const
    await changeStatus(services, tx, trackId, { ...change, where: { uploadCompletedAt: null } })
    await tx.sourcePull.deleteMany({ where: { trackId } })
  })
}
