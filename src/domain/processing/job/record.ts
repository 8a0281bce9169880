import { z } from 'zod'
import { JobKind, JobState } from '../../../platform/db/generated/client/enums.ts'
import { createdAt, id, text, time } from '../../../platform/schema/fields.ts'
import { filter, filterShape } from '../../../platform/schema/record.ts'
import { uuidRule } from '../../../platform/schema/rules.ts'

export const jobDescription = 'A piece of queued work. Shown for 30 days after its end.'

export const jobFields = {
  id: id({ description: 'ID of the job. UUID.' }),
  trackId: id({ description: 'ID of its track.', nullable: true, nullMeans: 'Null for a job without a track.' }),
  collectionId: id({
    description: 'ID of the collection whose cover it processes.',
    nullable: true,
    nullMeans: 'Null for any other job.',
  }),
  variantId: id({
    description: 'ID of the variant whose file it makes.',
    nullable: true,
    nullMeans: 'Null for a job that does not make a single file.',
  }),
  batchId: id({ description: 'ID of its batch.', nullable: true, nullMeans: 'Null for a job without a batch.' }),
  retryAt: time({
    description: 'Time of the next attempt.',
    nullable: true,
    nullMeans: 'Null unless the job waits after a fault of the service.',
  }),
  error: text({
    description: 'Stable code of the failure.',
    nullable: true,
    nullMeans: 'Null unless the job failed or was cancelled for a reason.',
  }),
  createdAt,
  startedAt: time({
    description: 'Start of the latest attempt.',
    nullable: true,
    nullMeans: 'Null until started.',
  }),
  finishedAt: time({ description: 'Time of the end.', nullable: true, nullMeans: 'Null until ended.' }),
}

export const jobKinds: Record<JobKind, string> = {
  process_track: 'Examines an uploaded recording and makes all of its files.',
  process_variant: 'Makes one file of a track.',
  process_track_cover: 'Makes the sizes of a cover that was uploaded for a track.',
  process_collection_cover: 'Makes the sizes of a cover that was uploaded for a collection.',
  process_organization_cover: 'Makes the sizes of a cover that was uploaded for the organization.',
  rebuild_track: 'Rebuilds files of a track.',
  transcribe_track: 'Transcribes what is said in a track.',
}

export const jobStates: Record<JobState, string> = {
  queued: 'Waits for a worker, or for its track.',
  running: 'Is running, or will be resumed after its worker died.',
  done: 'Succeeded. Single files of an upload may have failed.',
  failed: 'Failed. `error` has the reason.',
  cancelled:
    'Was not finished: it or its batch was cancelled, its subject was deleted, or a client has set the transcription.',
}

export const jobFilters = {
  trackId: filter('ID', uuidRule, 'Jobs of this track.'),
  collectionId: filter('ID', uuidRule, 'Jobs of this collection or of its tracks.'),
  variantId: filter('ID', uuidRule, 'Jobs for this variant.'),
  batchId: filter('ID', uuidRule, 'Jobs of this batch.'),
}
export const jobFilter = z.object({
  state: z.array(z.enum(JobState)).max(5).optional(),
  kind: z.array(z.enum(JobKind)).max(7).optional(),
  ...filterShape(jobFilters),
})
export type JobFilter = z.output<typeof jobFilter>
