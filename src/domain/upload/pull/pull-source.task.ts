import type { Services } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import { AppError } from '../../../platform/errors.ts'
import { type TaskRun, task } from '../../../platform/jobs/task.ts'
import { TooLargeError } from '../../../platform/storage/storage.ts'
import { failurePauseMs, MAX_CRASHES, MAX_FAILURES } from '../../processing/retry.ts'
import { safeFileName } from '../../track/service.ts'
import { changeStatus } from '../../track/status.ts'
import { completeTrack } from '../accept.ts'
import { readAddress } from './address.ts'
import { asPullError, PullError } from './failure.ts'
import { fetchSource } from './fetch.ts'
import { queueAttempt } from './queue.ts'
import { pullSource } from './schema.ts'

const gaveUp = new PullError('source_pull_failed', 'The recording could not be taken from the source.')

/** The recording of a track that was created with a `source_url`. */
export const pullSourceTask = task(pullSource, (services, { trackId }, run) => pullTrack(services, trackId, run))

/** Failures of the source after which the pull is given up. */
const MAX_TRIES = 4
/** Pauses after each of them. */
const tryPausesMs = [3_000, 7_000, 20_000]
/** The most that a source's Retry-After delays the next attempt. */
const LONGEST_RETRY_AFTER_MS = 3_600_000

/**
 * Makes one attempt. A permanent fault of the source, or the last of several passing ones, makes the track `init_error`.
 * Faults of storage, database and host are repeated with growing pauses for at least 24 hours (contract, section 4).
 */
async function pullTrack(services: Services, trackId: string, run: TaskRun): Promise<void> {
  const { db, log } = services
  const started = await start(services, trackId)
  if (!started) return
  // Attempts that ended neither way ended with their worker.
  if (started.attempts - started.tries - started.failures > MAX_CRASHES) return giveUp(services, trackId, gaveUp)
  try {
    await pull(services, trackId, run.signal)
  } catch (error) {
    // The track was deleted while its recording was received.
    if (error instanceof AppError && error.code === 'upload_completed') return
    if (run.signal.aborted) {
      await db.sourcePull.updateMany({ where: { trackId }, data: { attempts: { decrement: 1 } } })
      throw error
    }
    const reason = asPullError(error)
    if (!(reason instanceof PullError)) return retryLater(services, started, error)
    log.info({ trackId, code: reason.code, err: reason }, 'the source of a recording failed')
    if (!reason.isPassing || started.tries + 1 >= MAX_TRIES) return giveUp(services, trackId, reason)
    const wantedMs = Math.min(LONGEST_RETRY_AFTER_MS, reason.retryAfterMs ?? 0)
    const pauseMs = Math.max(tryPausesMs[started.tries] ?? 0, wantedMs)
    await queueAgain(services, started, { tries: { increment: 1 } }, pauseMs)
  }
}

type Started = Prisma.SourcePullGetPayload<{ include: { track: { select: { organizationId: true } } } }>

/** Counts an attempt. @returns null when the track was deleted, or an earlier attempt has ended the pull */
async function start({ db }: Services, trackId: string): Promise<Started | null> {
  const { count } = await db.sourcePull.updateMany({
    where: { trackId, track: { deletedAt: null, status: 'initialized' } },
    data: { attempts: { increment: 1 } },
  })
  if (count === 0) await db.sourcePull.deleteMany({ where: { trackId } })
  const include = { track: { select: { organizationId: true } } } as const
  return db.sourcePull.findUnique({ where: { trackId }, include })
}

async function retryLater(services: Services, started: Started, error: unknown): Promise<void> {
  const { trackId } = started
  const failures = started.failures + 1
  services.log.error({ err: error, trackId }, 'a recording could not be received and is tried again')
  if (failures > MAX_FAILURES) return giveUp(services, trackId, gaveUp)
  await queueAgain(services, started, { failures: { increment: 1 } }, failurePauseMs(failures))
}

async function queueAgain(
  { db, clock }: Services,
  { trackId, track: { organizationId } }: Started,
  data: Prisma.SourcePullUpdateManyMutationInput,
  pauseMs: number,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.sourcePull.updateMany({ where: { trackId }, data })
    if (count > 0) await queueAttempt(tx, organizationId, trackId, new Date(clock().getTime() + pauseMs))
  })
}

async function pull(services: Services, id: string, signal: AbortSignal): Promise<void> {
  const { db, storage, config, signing, metrics, clock } = services
  const { sealedUrl, isFileNameGiven, track } = await db.sourcePull.findUniqueOrThrow({
    where: { trackId: id },
    include: { track: { select: { announcedBytes: true } } },
  })
  const [maxBytes, allowPrivate] = [config.maxUploadBytes, config.isSourcePrivateAllowed]
  const address = readAddress(signing.unseal(sealedUrl), allowPrivate)
  const { fileName, chunks, close } = await fetchSource(address, { maxBytes, allowPrivate, signal, clock })
  const received = storage.receive(chunks, maxBytes).catch((error) => {
    throw error instanceof TooLargeError ? tooLarge() : error
  })
  const incoming = await received.finally(close)
  try {
    checkBytes(incoming.bytes, track.announcedBytes)
    await db.$transaction(async (tx) => {
      const named = fileName && !isFileNameGiven
      if (named) {
        const data = { fileName: safeFileName(fileName), fileNameOriginal: fileName }
        await tx.track.updateMany({ where: { id, status: 'initialized' }, data })
      }
      await completeTrack(services, tx, id, incoming)
    })
  } finally {
    await incoming.discard()
  }
  metrics.uploadedBytes.inc(incoming.bytes)
}

const tooLarge = () => new PullError('too_large', 'The recording at the source is too large.')

function checkBytes(bytes: number, announcedBytes: bigint | null): void {
  if (bytes === 0) throw new PullError('source_empty', 'There is nothing at the source.')
  if (announcedBytes === null || BigInt(bytes) === announcedBytes) return
  const message = `The recording at the source has ${bytes} bytes instead of the ${announcedBytes} that were announced.`
  throw new PullError('source_size_mismatch', message)
}

async function giveUp(services: Services, trackId: string, { code: statusCode, message: statusText }: PullError) {
  await services.db.$transaction(async (tx) => {
    const change = { from: ['initialized'], to: 'init_error', data: { statusCode, statusText } } as const
    await changeStatus(services, tx, trackId, { ...change, where: { uploadCompletedAt: null } })
    await tx.sourcePull.deleteMany({ where: { trackId } })
  })
}
