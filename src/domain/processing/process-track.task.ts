import type { Services } from '../../platform/context.ts'
import { type Job, Prisma } from '../../platform/db/generated/client/client.ts'
import { type TaskRun, task } from '../../platform/jobs/task.ts'
import { checkDecodable } from '../../platform/media/decodable.ts'
import { MediaError } from '../../platform/media/ffmpeg/run.ts'
import { type Probe, probe } from '../../platform/media/probe.ts'
import { changeStatus } from '../track/status.ts'
import { lockVariants, organizationVariantWhere } from '../variant/service.ts'
import { endJob, hasEnded } from './endings.ts'
import { infoOf } from './info.ts'
import type { LoadedTrack } from './outcome.ts'
import { attempt } from './retry.ts'
import { type Fetched, giveUpTrack, loadTrack, runOverSource } from './run.ts'
import { type JobTask, processTrack, processVariant } from './schema.ts'
import { digest } from './source.ts'

/** A whole track: from the uploaded bytes to all files of the organization-wide variants. */
export const processTrackTask = task(processTrack, (services, { jobId }, run) =>
  process(services, processTrack, jobId, run),
)

/** One more file of a track that was ready. */
export const processVariantTask = task(processVariant, (services, { jobId }, run) =>
  process(services, processVariant, jobId, run),
)

async function process(services: Services, definition: JobTask, jobId: string, run: TaskRun): Promise<void> {
  const job = await services.db.job.findUnique({ where: { id: jobId } })
  if (!job?.trackId || hasEnded(job)) return
  const track = await loadTrack(services, job.trackId)
  if (!track) return void (await endJob(services.db, job, { state: 'done' }, services.clock()))
  const work = () =>
    runOverSource(services, job, track, run, async (source) => {
      // The service has not seen the bytes of an upload that went straight to the bucket.
      const known = track.sourceSha256 ? track : await withChecksum(services, track, source.file)
      const found = await examine(services, job, known, source)
      if (!found) return null
      const begun = isExamined(known) ? known : await begin(services, known, found)
      return {
        found,
        track: begun,
        files: begun.files.filter(({ state }) => state === 'queued' || state === 'processing'),
      }
    })
  const subject = { ...job, trackId: job.trackId }
  await attempt(services, definition, job, run, { work, giveUp: () => giveUpTrack(services, subject) })
}

/** Whether an earlier attempt found sound in the recording and planned its files. */
const isExamined = ({ info }: Pick<LoadedTrack, 'info'>) => info !== null

async function withChecksum({ db }: Services, track: LoadedTrack, file: string): Promise<LoadedTrack> {
  const { sha256: sourceSha256 } = await digest(file)
  await db.track.update({ where: { id: track.id }, data: { sourceSha256 } })
  return { ...track, sourceSha256 }
}

/** Probes the source. @returns null for a source that is not audio: the job has then ended with a reason */
async function examine(
  services: Services,
  job: Job,
  track: LoadedTrack,
  { file, folder, signal }: Fetched,
): Promise<Probe | null> {
  try {
    const found = await probe(services.tools, file, signal)
    if (!isExamined(track)) await checkDecodable(services.tools, file, found, folder, signal)
    return found
  } catch (error) {
    if (!(error instanceof MediaError) || isExamined(track)) throw error
    services.log.info({ trackId: track.id, code: error.code, detail: error.detail }, 'not decodable audio')
    await services.db.$transaction(async (tx) => {
      const data = { statusCode: error.code, statusText: error.message }
      await changeStatus(services, tx, track.id, { from: ['initialized', 'processing'], to: 'init_error', data })
      await endJob(tx, job, { state: 'failed', error: error.code }, services.clock())
    })
    return null
  }
}

/** `initialized` -> `processing`: plans the files of the organization-wide variants. */
async function begin(services: Services, track: LoadedTrack, found: Probe): Promise<LoadedTrack> {
  const { id: trackId, organizationId } = track
  await services.db.$transaction(async (tx) => {
    const { count } = await tx.track.updateMany({
      // `processing` already when an attempt before was delayed.
      where: {
        id: trackId,
        status: { in: ['initialized', 'processing'] },
        info: { equals: Prisma.DbNull },
        deletedAt: null,
      },
      data: { status: 'processing', durationSeconds: found.durationSeconds, info: infoOf(found) },
    })
    // Another run of this job was faster and has planned the files.
    if (count === 0) return
    const variants = await lockVariants(tx, organizationVariantWhere(organizationId))
    await tx.trackFile.createMany({
      data: variants.map(({ id: variantId, props }) => ({
        organizationId,
        trackId,
        variantId,
        props: props as Prisma.InputJsonValue,
      })),
      skipDuplicates: true,
    })
  })
  const begun = await loadTrack(services, trackId)
  if (!begun) throw new Error('the track was deleted meanwhile')
  return begun
}
