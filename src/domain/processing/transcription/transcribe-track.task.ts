import { task } from '../../../platform/jobs/task.ts'
import { hasEnded } from '../job/end.ts'
import { transcribeTrackJob } from '../queue/tasks.ts'
import { attemptOnTrack } from '../retry.ts'
import { giveUpTranscription, transcribe } from './transcribe.ts'

/** Transcribes a track with the provider of speech recognition. */
export const transcribeTrackTask = task(transcribeTrackJob, async (services, { jobId }, run) => {
  const job = await services.db.job.findUnique({ where: { id: jobId } })
  if (!job?.trackId || hasEnded(job)) return 'superseded'
  return attemptOnTrack(services, transcribeTrackJob, { ...job, trackId: job.trackId }, run, (track) => ({
    work: (started) => transcribe({ services, job: started, track }, run.signal),
    giveUp: (started) => giveUpTranscription({ services, job: started, track }),
  }))
})
