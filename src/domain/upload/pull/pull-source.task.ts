import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { TooLargeError } from '../../../platform/storage/storage.ts'
import { type TaskRun, task } from '../../../platform/task.ts'
import { safeFileName } from '../../track/service.ts'
import { changeStatus } from '../../track/status.ts'
import { completeTrack } from '../accept.ts'
import { readAddress } from './address.ts'
import { asPullError, PullError } from './failure.ts'
import { fetchSource } from './fetch.ts'
import { pullSource, TRIES } from './schema.ts'

const gaveUp = new PullError('source_pull_failed', 'The recording could not be taken from the source.')

/** The recording of a track that was created with a `source_url`. */
export const pullSourceTask = task(pullSource, (services, { trackId }, run) => pullTrack(services, trackId, run))

/**
 * One attempt. What is wrong with the source for good, or still after all attempts, makes the track `init_error`; what
 * is thrown is tried again.
 */
async function pullTrack(services: Services, trackId: string, run: TaskRun): Promise<void> {
  const { db } = services
  const waiting = { trackId, track: { deletedAt: null, status: 'initialized' as const } }
  if ((await db.sourcePull.count({ where: waiting })) === 0) {
    // Its track was deleted, or an earlier run of this job has ended it.
    await db.sourcePull.deleteMany({ where: { trackId } })
    return
  }
  if (run.isLastAttempt) return giveUp(services, trackId, gaveUp)
  try {
    await pull(services, trackId, run.signal)
  } catch (error) {
    // Deleted meanwhile.
    if (error instanceof AppError && error.code === 'upload_completed') return
    const reason = asPullError(error)
    const isOver = reason instanceof PullError && (!reason.isPassing || run.attempt >= TRIES)
    if (!isOver || run.signal.aborted) throw reason
    services.log.info({ trackId, code: reason.code, err: reason }, 'no recording at the source')
    await giveUp(services, trackId, reason)
  }
}

async function pull(services: Services, id: string, signal: AbortSignal): Promise<void> {
  const { db, storage, config, signing, metrics, clock } = services
  const { sealedUrl, isFileNameGiven, track } = await db.sourcePull.findUniqueOrThrow({
    where: { trackId: id },
    include: { track: { select: { announcedBytes: true } } },
  })
  const [maxBytes, allowPrivate] = [config.maxUploadBytes, config.isSourcePrivateAllowed]
  const address = readAddress(signing.unseal(sealedUrl), allowPrivate)
  const { fileName, chunks } = await fetchSource(address, { maxBytes, allowPrivate, signal, clock })
  const incoming = await storage.receive(chunks, maxBytes).catch((error) => {
    throw error instanceof TooLargeError ? tooLarge() : error
  })
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
