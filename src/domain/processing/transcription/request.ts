import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Job, Track } from '../../../platform/db/generated/client/client.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { type Scope, writeScope } from '../../access/viewer.ts'
import { lockOrganization } from '../../organization/service.ts'
import { lockTrack, oneTrackWhere } from '../../track/service.ts'
import { isProcessing } from '../../track/states.ts'
import { endJob } from '../job/end.ts'
import { unendedStates } from '../job-states.ts'
import { queueTranscription } from '../queue/queue.ts'
import { recordFailureEvent } from './events.ts'
import { readUsedSeconds } from './quota.ts'
import type { TranscribeTrack } from './record.ts'

/** Longest recording that is transcribed: the text of a longer one may exceed the limit of a transcription. */
const MAX_HOURS = 6

/** Whether the transcription is one that a client has set, which is never replaced. */
export const isSetByClient = ({ transcription, transcribedAt }: Pick<Track, 'transcription' | 'transcribedAt'>) =>
  transcription !== null && transcribedAt === null

const waitingJob = (trackId: string) => ({ trackId, kind: 'transcribe_track', state: { in: unendedStates } }) as const

/**
 * Queues the transcription of a track, unless it is queued already. It replaces one that was made before, and none that a
 * client has set.
 * @returns ID of the job
 * @throws AppError `not_found`, `speech_recognition_off`, `track_processing`, `no_source_file`, `transcription_set`, `limit_reached`
 */
export async function transcribeTrack(ctx: Context, id: string, input: TranscribeTrack): Promise<string> {
  const scope = writeScope(ctx)
  return ctx.db.$transaction((tx) => request(ctx, tx, scope, id, input))
}

/**
 * Queues a transcription in the caller's transaction.
 * @throws AppError as `transcribeTrack`
 */
async function request(
  services: Pick<Services, 'config' | 'clock'>,
  tx: Transaction,
  scope: Scope,
  id: string,
  { language, prompt }: TranscribeTrack,
): Promise<string> {
  const { organizationId } = scope
  if (!(await tx.track.findFirst({ where: oneTrackWhere(scope, id), select: { id: true } }))) throw notFound('trackId')
  const { transcription: speech } = services.config
  if (!speech) {
    throw new AppError(
      'speech_recognition_off',
      'This service has no speech recognition. Its operator can set TRANSCRIBE_URL.',
    )
  }
  // Requests of an organization run one after another, so that together they do not exceed its limit.
  await lockOrganization(tx, organizationId)
  const track = await lockTrack(tx, id)
  if (track.deletedAt) throw notFound('trackId')
  const queued = await tx.job.findFirst({ where: waitingJob(id), select: { id: true } })
  if (queued) return queued.id
  const recordingSeconds = checkTranscribable(track)
  const usedSeconds = await readUsedSeconds(tx, organizationId, services.clock())
  if (usedSeconds + recordingSeconds > speech.maxSecondsOfMonth) {
    const [max, used] = [speech.maxSecondsOfMonth, usedSeconds].map((seconds) => Math.round(seconds / 360) / 10)
    throw new AppError(
      'limit_reached',
      `The organization may transcribe ${max} hours in a month, and has used ${used}. This recording exceeds the rest.`,
    )
  }
  return queueTranscription(tx, organizationId, id, {
    language: language ?? track.transcriptionLanguage ?? speech.language ?? null,
    prompt: prompt ?? speech.prompt,
    recordingSeconds,
  })
}

/** @returns length of the recording, in seconds */
function checkTranscribable(track: Track): number {
  if (track.sourceKey === null || track.durationSeconds === null) {
    if (isProcessing(track.status)) {
      throw new AppError('track_processing', 'The recording is being examined. Try again when the track is ready.')
    }
    throw new AppError('no_source_file', 'The track has no usable recording.')
  }
  if (isSetByClient(track)) {
    throw new AppError('transcription_set', 'The track has a transcription that was set. Remove it first.')
  }
  if (track.durationSeconds > MAX_HOURS * 3600) {
    throw new AppError('limit_reached', `Recordings of up to ${MAX_HOURS} hours are transcribed.`)
  }
  return track.durationSeconds
}

/**
 * Cancels the transcription of a track that waits or runs. What was sent to the provider counts.
 * @returns the track's ID
 * @throws AppError `not_found`
 */
export async function cancelTranscription(ctx: Context, id: string): Promise<{ id: string }> {
  const scope = writeScope(ctx)
  await ctx.db.$transaction(async (tx) => {
    if (!(await tx.track.findFirst({ where: oneTrackWhere(scope, id), select: { id: true } })))
      throw notFound('trackId')
    const jobs: Pick<Job, 'id' | 'batchId'>[] = await tx.job.findMany({ where: waitingJob(id) })
    for (const job of jobs) await endJob(tx, job, { state: 'cancelled' }, ctx.clock())
  })
  return { id }
}

/**
 * Queues the transcription of a recording that was processed: of an organization that transcribes uploads, and of a track whose
 * transcription was made from its former recording.
 * @param trackId of a row that may be another recording of a track
 */
export async function transcribeUpload(services: Services, trackId: string): Promise<void> {
  const { db, config, log } = services
  const upload = await db.track.findFirst({
    where: { id: trackId },
    include: { organization: { select: { transcribesUploads: true } }, replaces: true },
  })
  const track = upload?.replaces ?? upload
  if (!config.transcription || !upload || !track || track.deletedAt) return
  const isWanted = upload.organization.transcribesUploads && track.transcription === null
  // A replaced recording has other words.
  const isOutdated = upload.replaces !== null && track.transcribedAt !== null
  if (!isWanted && !isOutdated) return
  const scope = { organizationId: track.organizationId, collectionId: null, creatorId: null }
  try {
    await db.$transaction((tx) => request(services, tx, scope, track.id, {}))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log.info({ trackId: track.id, code: error.code, reason: error.message }, 'a recording is not transcribed')
    if (error.code === 'limit_reached') await db.$transaction((tx) => recordRefusal(tx, track, services.clock()))
  }
}

/** Records a job that the limit of the organization has refused, so that it does not fail silently. */
async function recordRefusal(tx: Transaction, track: Track, now: Date): Promise<void> {
  const { id: trackId, organizationId } = track
  const failed = { state: 'failed', error: 'transcription_limit', finishedAt: now } as const
  const job = await tx.job.create({ data: { organizationId, kind: 'transcribe_track', trackId, ...failed } })
  await recordFailureEvent(tx, job, track, failed.error)
}
