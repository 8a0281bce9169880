import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Batch, Job, Prisma } from '../../platform/db/generated/client/client.ts'
import { type Entry, lockEntry, type TaskOutcome, task } from '../../platform/jobs/task.ts'
import { renameFile } from '../track/file/bytes.ts'
import { isOnlyRenamed, isStale } from '../track/file/stale.ts'
import { recordFileEvents } from '../track/record-events.ts'
import { lockTrack } from '../track/service.ts'
import { lockVariants } from '../variant/service.ts'
import { endJob, hasEnded, INTERRUPTED } from './job/end.ts'
import { runTrackJob } from './pipeline/run-job.ts'
import { applyVariantJob, enqueueJob } from './queue/tasks.ts'
import { outcomeOfAttempt } from './retry.ts'

/** Pause of a job whose track is being processed. */
const BUSY_MS = 10_000

/** Makes one file of a ready track. The track is `processing` only while the job runs. */
export const applyVariantTask = task(applyVariantJob, async (services, { jobId }, run) => {
  const job = await services.db.job.findUnique({ where: { id: jobId }, include: { batch: true } })
  if (!job?.trackId || !job.variantId || hasEnded(job)) return 'superseded'
  const subject = { ...job, trackId: job.trackId, variantId: job.variantId }
  // A job that is already running has claimed its track in an earlier attempt.
  if (job.state === 'queued') {
    const claimed = await services.db.$transaction((tx) => claim(services, tx, subject, run.entry))
    if (claimed === 'superseded') return claimed
    if (claimed === 'busy') return waitForTrack(services, job)
    if (claimed === 'ended') return outcomeOfAttempt(services, job)
  }
  return runTrackJob(services, applyVariantJob, subject, run)
})

type Subject = Job & { trackId: string; variantId: string; batch: Batch | null }

/**
 * Claims the track for the job, and plans the file if the track lacks it.
 * @param entry of the job in the queue
 * @returns `superseded` when another worker has the entry; `busy` while another job processes the track; `ended` when
 * there is nothing to do
 */
async function claim(
  services: Services,
  tx: Transaction,
  job: Subject,
  entry: Entry | undefined,
): Promise<'claimed' | 'superseded' | 'busy' | 'ended'> {
  const { clock } = services
  const { id, organizationId, trackId, variantId, batch } = job
  // A job that is `running` without `retryAt` would be counted as crashed.
  const data = { state: 'running' as const, retryAt: clock(), startedAt: clock() }
  const { count } = await tx.job.updateMany({ where: { id, state: 'queued' }, data })
  if (count === 0) return 'ended'
  const release = () => tx.job.update({ where: { id }, data: { state: 'queued', retryAt: null, startedAt: null } })
  if (entry && !(await lockEntry(tx, entry))) {
    await release()
    return 'superseded'
  }
  const end = async (state: 'done' | 'cancelled', error?: string) => {
    await endJob(tx, job, { state, error }, clock())
    return 'ended' as const
  }
  const [variant] = await lockVariants(tx, { id: variantId })
  if (!variant) return end('cancelled', 'variant_deleted')
  if (batch?.cancelledAt) return end('cancelled')
  const track = await lockTrack(tx, trackId)
  if (track.deletedAt) return end('cancelled', INTERRUPTED)
  if (track.status === 'error' || track.status === 'init_error') return end('cancelled', 'no_source_file')
  if (track.status !== 'ready' && track.status !== 'incomplete') {
    await release()
    return 'busy'
  }
  const file = await tx.trackFile.findUnique({ where: { trackId_variantId: { trackId, variantId } } })
  if (file?.state === 'done' && !isStale(file, variant, track)) return end('done')
  if (file && isOnlyRenamed(file, variant, track)) {
    await renameFile(tx, file, variant, `${track.basePath}_${variant.index}`)
    await recordFileEvents(services, tx, trackId, [file.id])
    return end('done')
  }
  await tx.track.update({ where: { id: trackId }, data: { status: 'processing' } })
  const planned = { state: 'queued' as const, props: variant.props as Prisma.InputJsonObject }
  if (!file) await tx.trackFile.create({ data: { ...planned, organizationId, trackId, variantId } })
  if (file?.state === 'failed') await tx.trackFile.update({ where: { id: file.id }, data: planned })
  return 'claimed'
}

/** Queues the job again for later, so that waiting costs no attempts. */
async function waitForTrack({ db, clock }: Services, job: Job): Promise<TaskOutcome> {
  const runAt = new Date(clock().getTime() + BUSY_MS)
  await enqueueJob(db, applyVariantJob, job, { runAt })
  return 'requeued'
}
