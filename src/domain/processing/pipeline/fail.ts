import type { Services } from '../../../platform/context.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import type { TrackStatus } from '../../../platform/db/generated/client/enums.ts'
import type { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { recordFileEvents } from '../../track/record-events.ts'
import { lockTrack } from '../../track/service.ts'
import { unfinishedStates } from '../../track/states.ts'
import { changeStatus } from '../../track/status.ts'
import { endIfDeleted, endingAfterDeletion, endJob, lockAttempt } from '../job/end.ts'
import { type OutcomeReason, readOutcome } from '../outcome.ts'
import { type LoadedTrack, loadTrack, type Run, requireRecording } from '../run/run.ts'

/**
 * Ends a run for a fault of the recording: files to make have failed, files of earlier runs remain. A recording in
 * which no run has found sound is `init_error`.
 */
export async function fail({ services, job, track }: Run, { code, detail, message }: MediaError): Promise<void> {
  services.log.info({ trackId: track.id, code, detail }, 'the recording cannot be processed')
  const reason = { statusCode: code, statusText: message }
  await endWithout(services, job, track, reason, track.info === null ? 'init_error' : null)
}

const processingFailed: OutcomeReason = {
  statusCode: 'processing_failed',
  statusText:
    'The recording could not be processed for more than a day because of faults on our side. It is still stored: rebuild the track to try again.',
}

/** Ends a job after its last attempt. The recording is not at fault, so the track does not become `init_error`. */
export async function giveUp(services: Services, job: Job, trackId: string): Promise<void> {
  const track = await loadTrack(services.db, trackId)
  if (track) return endWithout(services, job, track, processingFailed, track.info === null ? 'error' : null)
  const ending = await services.db.$transaction((tx) => endIfDeleted(tx, job, trackId, services.clock()))
  if (!ending) await giveUp(services, job, trackId)
}

/** @param to the new status; null to derive it from the track's files */
async function endWithout(
  services: Services,
  job: Job,
  track: LoadedTrack,
  reason: OutcomeReason,
  to: TrackStatus | null,
): Promise<void> {
  await services.db.$transaction(async (tx) => {
    if (!(await lockAttempt(tx, job))) return
    const { deletedAt, sourceKey } = await lockTrack(tx, track.id)
    requireRecording({ track }, sourceKey)
    if (deletedAt) return void (await endJob(tx, job, endingAfterDeletion(job), services.clock()))
    const failed = await tx.trackFile.updateManyAndReturn({
      where: { id: { in: track.files.map(({ id }) => id) }, state: { in: ['queued', 'processing'] } },
      data: { state: 'failed', ...reason },
      select: { id: true },
    })
    const ids = failed.map(({ id }) => id)
    await recordFileEvents(services, tx, track.id, ids)
    const status = to ?? (await readOutcome(tx, track.id))
    const data = status === 'error' || status === 'init_error' ? reason : { statusCode: null, statusText: null }
    await changeStatus(services, tx, track.id, { from: unfinishedStates, to: status, data })
    await endJob(tx, job, { state: 'failed', error: reason.statusCode }, services.clock())
  })
}
