import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Job, Track } from '../../../platform/db/generated/client/client.ts'
import { lockTrack } from '../../track/service.ts'
import { endingAfterDeletion, endJob, lockAttempt } from '../job/end.ts'
import { type LoadedTrack, RunEnded, requireRecording } from '../run/run.ts'
import { recordFailureEvent } from './events.ts'
import { TRANSCRIPTION_SET } from './record.ts'
import { isSetByClient } from './request.ts'

/** One attempt to transcribe a track. */
export interface TranscriptionRun {
  services: Services
  job: Job
  /** As of the start of the attempt. */
  track: LoadedTrack
}

/**
 * Locks job and track, and writes in the same transaction. The job ends if the track was deleted, or has a transcription of a
 * client by now.
 * @throws RunEnded then, and when the job has ended; RecordingReplaced
 */
export async function writeUnlessEnded<T>(
  { services, job, track }: TranscriptionRun,
  write: (tx: Transaction, track: Track) => Promise<T>,
): Promise<T> {
  const written = await services.db.$transaction(async (tx) => {
    if (!(await lockAttempt(tx, job))) return null
    const current = await lockTrack(tx, track.id)
    const ending = current.deletedAt
      ? endingAfterDeletion(job)
      : isSetByClient(current)
        ? ({ state: 'cancelled', error: TRANSCRIPTION_SET } as const)
        : null
    if (ending) {
      await endJob(tx, job, ending, services.clock())
      return null
    }
    requireRecording({ track }, current.sourceKey)
    return { result: await write(tx, current) }
  })
  if (!written) throw new RunEnded('the transcription has ended')
  return written.result
}

/** Ends the job as failed, with its event. @param text sentence of the event. Defaults to that of the code */
export const fail = (run: TranscriptionRun, code: string, text?: string): Promise<void> =>
  writeUnlessEnded(run, async (tx, track) => {
    await recordFailureEvent(tx, run.job, track, code, text)
    await endJob(tx, run.job, { state: 'failed', error: code }, run.services.clock())
  })
