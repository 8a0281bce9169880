import type { Services } from '../../../platform/context.ts'
import type { Job, Prisma } from '../../../platform/db/generated/client/client.ts'
import { findUnqueued, periodic, task } from '../../../platform/jobs/task.ts'
import { processingStates } from '../../track/states.ts'
import { unendedStates } from '../job-states.ts'
import {
  applyVariantJob,
  enqueueJob,
  type JobTask,
  processCoverJob,
  processTrackJob,
  processVariantJob,
  rebuildTrackJob,
  transcribeTrackJob,
} from '../queue/tasks.ts'

const BATCH = 500
/** Leaves out jobs that are being queued or ended at this moment. */
const MIN_AGE_MS = 60_000

/**
 * Queues jobs again that have not ended and that the queue has lost: the queue's own attempts were used up while the
 * database could not record a failure, or its entry was removed. Otherwise their tracks would stay `processing`.
 */
export const requeueLostTask = task(
  periodic('requeue_lost_jobs'),
  async (services) => {
    const { db, pool, clock, log } = services
    const createdAt = { lt: new Date(clock().getTime() - MIN_AGE_MS) }
    let after: Prisma.JobWhereInput = {}
    for (;;) {
      const jobs = await db.job.findMany({
        where: { state: { in: unendedStates }, createdAt, ...after },
        orderBy: { id: 'asc' },
        take: BATCH,
      })
      const lost = await findUnqueued(
        pool,
        jobs.map(({ id }) => id),
      )
      for (const job of jobs.filter(({ id }) => lost.has(id))) {
        await enqueueJob(db, await findTask(services, job), job)
        log.warn(
          { jobId: job.id, trackId: job.trackId, kind: job.kind },
          'a job that the queue had lost is queued again',
        )
      }
      const last = jobs.at(-1)
      if (!last || jobs.length < BATCH) return
      after = { id: { gt: last.id } }
    }
  },
  '*/10 * * * *',
)

async function findTask({ db }: Services, { kind, state, trackId, variantId }: Job): Promise<JobTask> {
  if (kind === 'process_track') return processTrackJob
  if (kind === 'rebuild_track') return rebuildTrackJob
  if (kind === 'transcribe_track') return transcribeTrackJob
  if (kind !== 'process_variant') return processCoverJob
  // An apply job plans its file when it starts, not while it is queued.
  const planned = { trackId: trackId ?? '', variantId: variantId ?? '', state: 'queued' as const }
  const isPlanned = await db.trackFile.count({ where: { ...planned, track: { status: { in: processingStates } } } })
  return state === 'queued' && isPlanned > 0 ? processVariantJob : applyVariantJob
}
