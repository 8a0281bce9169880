import type { Services } from '../../../platform/context.ts'
import type { Job, Prisma } from '../../../platform/db/generated/client/client.ts'
import { task } from '../../../platform/jobs/task.ts'
import { checkDecodable } from '../../../platform/media/decodable.ts'
import { type Probe, probe } from '../../../platform/media/probe.ts'
import { lockVariants } from '../../variant/service.ts'
import { endJob, hasEnded } from '../endings.ts'
import { infoOf } from '../info.ts'
import { inProgress, type LoadedTrack } from '../outcome.ts'
import { attempt } from '../retry.ts'
import { type Fetched, giveUpTrack, loadTrack, type Planned, runOverSource } from '../run.ts'
import { rebuildTrack } from '../schema.ts'

/** Files of a track anew, all in one run, with the parameters that their variants have by then. */
export const rebuildTrackTask = task(rebuildTrack, async (services, { jobId }, run) => {
  const { db, clock } = services
  const job = await db.job.findUnique({ where: { id: jobId } })
  if (!job?.trackId || hasEnded(job)) return
  const track = await loadTrack(services, job.trackId)
  if (!track) return void (await endJob(db, job, { state: 'cancelled', error: 'track_deleted' }, clock()))
  const subject = { ...job, trackId: job.trackId }
  await attempt(services, rebuildTrack, job, run, {
    work: () => runOverSource(services, job, track, run, (fetched) => plan(services, job, track, fetched)),
    giveUp: () => giveUpTrack(services, subject),
  })
})

/** Looks at the recording anew, for a newer ffprobe may see more, and plans what is to be made of it. */
async function plan(services: Services, job: Job, before: LoadedTrack, source: Fetched): Promise<Planned | null> {
  const { file, folder, signal } = source
  const found = await probe(services.tools, file, signal)
  // What nothing could ever be made of has to pass what every upload passes.
  if (before.info === null) await checkDecodable(services.tools, file, found, folder, signal)
  if (!(await addRows(services, job, before, found))) return null
  const track = await loadTrack(services, before.id)
  if (!track) return null
  // The rows keep the parameters of what they hold until there is something better.
  const files = track.files
    .filter(({ variantId }) => job.variantIds.includes(variantId))
    .map((row) => ({ ...row, props: row.variant.props }))
  return { found, track, files }
}

/**
 * Adds rows for files that the track lacks.
 * @returns false where another run of this job has ended it meanwhile
 */
async function addRows(services: Services, job: Job, { id: trackId, organizationId }: LoadedTrack, found: Probe) {
  return services.db.$transaction(async (tx) => {
    const running = await tx.$queryRaw<unknown[]>`
      SELECT id FROM job WHERE id = ${job.id}::uuid AND state = 'running' FOR UPDATE`
    if (running.length === 0) return false
    const variants = await lockVariants(tx, { id: { in: job.variantIds } })
    await tx.track.updateMany({ where: { id: trackId, status: { in: inProgress } }, data: { info: infoOf(found) } })
    const data = variants.map(({ id: variantId, props }) => ({
      ...{ organizationId, trackId, variantId },
      props: props as Prisma.InputJsonValue,
    }))
    await tx.trackFile.createMany({ data, skipDuplicates: true })
    return true
  })
}
