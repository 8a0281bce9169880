import type { Services } from '../../../platform/context.ts'
import type { Job, Prisma } from '../../../platform/db/generated/client/client.ts'
import { type TaskRun, task } from '../../../platform/jobs/task.ts'
import { type Cover, makeCovers } from '../../../platform/media/cover/make.ts'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { withScratch } from '../../../platform/media/ffmpeg/scratch.ts'
import { coverKey } from '../../track/service.ts'
import { lockVariants, organizationVariantWhere } from '../../variant/service.ts'
import { hasEnded } from '../job/end.ts'
import { processCoverJob } from '../job/tasks.ts'
import { putFile } from '../put-file.ts'
import { attempt } from '../retry.ts'
import { storeCover, storeTrackCover } from './store.ts'

/** Makes the sizes of the uploaded cover of a track, a collection or an organization, and measures its colors. */
export const processCoverTask = task(processCoverJob, async (services, { jobId }, run) => {
  const job = await services.db.job.findUnique({ where: { id: jobId } })
  if (!job || hasEnded(job)) return
  const end = (state: 'done' | 'failed', error?: string) =>
    services.db.job.update({ where: { id: jobId }, data: { state, error, finishedAt: services.clock() } })
  const work = async () => {
    try {
      if (job.trackId) await coverOfTrack(services, job, job.trackId, run)
      else if (job.collectionId) await coverOfCollection(services, job.organizationId, job.collectionId, run)
      else if (job.kind === 'process_organization_cover') await coverOfOrganization(services, job.organizationId, run)
      await end('done')
    } catch (error) {
      if (!(error instanceof MediaError)) throw error
      const level = error.code === 'images_unavailable' ? 'error' : 'info'
      services.log[level]({ jobId, code: error.code, detail: error.detail }, 'a cover could not be read')
      await end('failed', error.code)
    }
  }
  const giveUp = async () => void (await end('failed', 'processing_failed'))
  await attempt(services, processCoverJob, job, run, { work, giveUp })
})

const themeOf = ({ theme }: Cover) => theme as unknown as Prisma.InputJsonArray

async function coverOfTrack(services: Services, job: Job, trackId: string, run: TaskRun): Promise<void> {
  const { organizationId } = job
  const track = await services.db.track.findFirst({ where: { id: trackId, deletedAt: null } })
  const variants = await services.db.variant.findMany({
    where: { ...organizationVariantWhere(organizationId), type: 'cover' },
  })
  if (!track || variants.length === 0) return
  await withCover(services, organizationId, trackId, run, async (made) => {
    const newest = { id: trackId, coverUploadedAt: track.coverUploadedAt, deletedAt: null }
    for (const { id: variantId, props } of variants) {
      const row = { organizationId, trackId, variantId, props: props as Prisma.InputJsonObject }
      const stored = await storeTrackCover(services, made, { row: { ...row, props }, track, jobId: job.id })
      await services.db.$transaction(async (tx) => {
        const [variant] = await lockVariants(tx, { id: variantId })
        if (!variant) return
        // A newer cover has its own job.
        const { count } = await tx.track.updateMany({ where: newest, data: { theme: themeOf(made) } })
        if (count === 0) return
        await tx.trackFile.createMany({ data: [row], skipDuplicates: true })
        await putFile(services, tx, stored, { where: { trackId, variantId }, track, variant, recipe: row.props })
      })
    }
  })
}

async function coverOfCollection(services: Services, organizationId: string, id: string, run: TaskRun): Promise<void> {
  const include = { creator: { select: { folderId: true } } } as const
  const collection = await services.db.collection.findFirst({ where: { id, deletedAt: null }, include })
  if (!collection) return
  const folder = [organizationId, ...(collection.creator ? [collection.creator.folderId] : []), id].join('/')
  await withCover(services, organizationId, id, run, async (made) => {
    const cover = await storeCover(services, made, `${folder}/cover.jpg`)
    await services.db.collection.updateMany({
      where: { id, coverUploadedAt: collection.coverUploadedAt, deletedAt: null },
      data: { cover: cover as unknown as Prisma.InputJsonObject, theme: themeOf(made) },
    })
  })
}

async function coverOfOrganization(services: Services, id: string, run: TaskRun): Promise<void> {
  const { coverUploadedAt } = await services.db.organization.findUniqueOrThrow({ where: { id } })
  await withCover(services, id, id, run, async (made) => {
    const cover = await storeCover(services, made, `${id}/cover.jpg`)
    await services.db.organization.updateMany({
      where: { id, coverUploadedAt },
      data: { cover: cover as unknown as Prisma.InputJsonObject, theme: themeOf(made) },
    })
  })
}

/** Makes the cover from the uploaded picture. Its local files are removed after `keep`. */
async function withCover(
  services: Services,
  organizationId: string,
  id: string,
  run: TaskRun,
  keep: (made: Cover) => Promise<void>,
): Promise<void> {
  await withScratch(async ({ inputs, work }) => {
    const image = await services.storage.fetch(coverKey(organizationId, id), inputs)
    await keep(await makeCovers(services.tools, image, work, run.signal))
  })
}
