import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Job, Prisma } from '../../../platform/db/generated/client/client.ts'
import { type TaskRun, task } from '../../../platform/jobs/task.ts'
import { type Cover, makeCovers } from '../../../platform/media/cover/make.ts'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { withScratch } from '../../../platform/media/ffmpeg/scratch.ts'
import { keysOfCover, type StoredOwnCover } from '../../organization/cover/stored.ts'
import { adopt, discard } from '../../track/file/bytes.ts'
import { endIfDeleted, endJob, hasEnded, inAttempt, lockAttempt } from '../job/end.ts'
import type { OutcomeReason } from '../outcome.ts'
import { REPLACED_KEPT_MS } from '../put-file.ts'
import { processCoverJob } from '../queue/tasks.ts'
import { attempt } from '../retry.ts'
import { storeOwnCover, toStoredTheme } from './store.ts'
import { coverOfTrack, recordCoverFailure } from './track.ts'

/** Makes the sizes of the uploaded cover of a track, a collection or an organization, and measures its colors. */
export const processCoverTask = task(processCoverJob, async (services, { jobId }, run) => {
  const job = await services.db.job.findUnique({ where: { id: jobId } })
  if (!job || hasEnded(job)) return 'superseded'
  const fail = (started: Job, reason: OutcomeReason) =>
    services.db.$transaction(async (tx) => {
      if (!(await lockAttempt(tx, started))) return
      if (isOfTrack(started)) {
        if (await endIfDeleted(tx, started, started.trackId, services.clock())) return
        await recordCoverFailure(services, tx, started, reason)
      }
      await endJob(tx, started, { state: 'failed', error: reason.statusCode }, services.clock())
    })
  const work = async (started: Job) => {
    try {
      if (isOfTrack(started)) {
        await coverOfTrack(services, started, run.signal, (key, keep) => withCover(services, started, key, run, keep))
      } else if (job.collectionId) await coverOfCollection(services, started, job.collectionId, run)
      else if (job.kind === 'process_organization_cover') await coverOfOrganization(services, started, run)
      const data = { state: 'done' as const, finishedAt: services.clock() }
      await services.db.job.updateMany({ where: inAttempt(started), data })
    } catch (error) {
      if (!(error instanceof MediaError)) throw error
      const { code, message, detail } = error
      services.log.info({ jobId, code, detail }, 'a cover could not be read')
      await fail(started, { statusCode: code, statusText: message })
    }
  }
  const giveUp = (started: Job) => fail(started, coverFailed)
  return attempt(services, processCoverJob, job, run, { work, giveUp })
})

const isOfTrack = (job: Job): job is Job & { trackId: string } => job.trackId !== null

const coverFailed: OutcomeReason = {
  statusCode: 'processing_failed',
  statusText: 'The cover could not be processed for more than a day because of faults on our side. Upload it again.',
}

async function coverOfCollection(services: Services, job: Job, id: string, run: TaskRun): Promise<void> {
  const { organizationId } = job
  const include = { creator: { select: { folderId: true } } } as const
  const collection = await services.db.collection.findFirst({ where: { id, deletedAt: null }, include })
  if (!collection) return
  const folder = [organizationId, ...(collection.creator ? [collection.creator.folderId] : []), id].join('/')
  await withCover(services, job, collection.coverSourceKey, run, async (newCover) => {
    const cover = await storeOwnCover(services, newCover, folder, job, run.signal)
    await services.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT FROM collection WHERE id = ${id}::uuid FOR NO KEY UPDATE`
      const where = { id, coverUploadedAt: collection.coverUploadedAt, deletedAt: null }
      const before = await tx.collection.findFirst({ where, select: { cover: true } })
      // A newer cover has its own job.
      if (!before) return
      await tx.collection.update({ where: { id }, data: { cover: cover as object, theme: toStoredTheme(newCover) } })
      await replaceKeys(services, tx, before.cover, cover)
    })
  })
}

async function coverOfOrganization(services: Services, job: Job, run: TaskRun) {
  const id = job.organizationId
  const organization = await services.db.organization.findUniqueOrThrow({ where: { id } })
  const { coverUploadedAt, coverSourceKey } = organization
  await withCover(services, job, coverSourceKey, run, async (newCover) => {
    const cover = await storeOwnCover(services, newCover, id, job, run.signal)
    await services.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT FROM organization WHERE id = ${id}::uuid FOR NO KEY UPDATE`
      const before = await tx.organization.findFirst({ where: { id, coverUploadedAt }, select: { cover: true } })
      if (!before) return
      await tx.organization.update({ where: { id }, data: { cover: cover as object, theme: toStoredTheme(newCover) } })
      await replaceKeys(services, tx, before.cover, cover)
    })
  })
}

/** Takes the bytes of a cover into use. Those of the cover before are removed later. */
async function replaceKeys({ clock }: Services, tx: Transaction, before: Prisma.JsonValue, cover: StoredOwnCover) {
  const keys = keysOfCover(cover)
  await adopt(tx, keys)
  const replaced = before === null ? [] : keysOfCover(before as unknown as StoredOwnCover)
  const unused = replaced.filter((key) => !keys.includes(key))
  await discard(tx, unused, new Date(clock().getTime() + REPLACED_KEPT_MS))
}

/** Makes the cover from the uploaded picture. Its local files are removed after `keep`. */
async function withCover(
  services: Services,
  { id: jobId }: Job,
  sourceKey: string | null,
  run: TaskRun,
  keep: (newCover: Cover) => Promise<void>,
): Promise<void> {
  if (sourceKey === null) throw new Error('a cover is to be processed that was not uploaded')
  await withScratch(
    async ({ inputs, work }) => {
      const image = await services.storage.fetch(sourceKey, inputs, run.signal)
      await keep(await makeCovers(services.tools, image, work, run.signal, { hasArtwork: true }))
    },
    { jobId },
  )
}
