import type { Services } from '../../platform/context.ts'
import type { Job, Prisma } from '../../platform/db/generated/client/client.ts'
import { type CoverFile, extractTheme, makeCovers, notAnImage } from '../../platform/media/cover.ts'
import { MediaError, withScratch } from '../../platform/media/run.ts'
import { type TaskRun, task } from '../../platform/task.ts'
import { coverKey } from '../track/service.ts'
import { holdVariants, organizationVariantWhere } from '../variant/service.ts'
import { hasEnded } from './endings.ts'
import { imageInput, keepCovers, keepTrackCovers } from './make-cover.ts'
import { putFile } from './outcome.ts'
import { processCover } from './schema.ts'

/** Makes the sizes of an uploaded cover, for a track or a collection, and takes its colours. */
export const processCoverTask = task(processCover, async (services, { jobId }, run) => {
  const job = await services.db.job.findUnique({ where: { id: jobId } })
  if (!job || hasEnded(job)) return
  const end = (state: 'done' | 'failed', error?: string) =>
    services.db.job.update({ where: { id: jobId }, data: { state, error, finishedAt: services.clock() } })
  if (run.isLastAttempt) return void (await end('failed', 'processing_failed'))
  await services.db.job.update({
    where: { id: jobId },
    data: { state: 'running', attempts: run.attempt, startedAt: services.clock() },
  })
  try {
    if (job.trackId) await coverOfTrack(services, job, job.trackId, run)
    else if (job.collectionId) await coverOfCollection(services, job.organizationId, job.collectionId, run)
    await end('done')
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    services.log.info({ jobId, code: error.code, detail: error.detail }, 'a cover could not be read')
    await end('failed', error.code)
  }
})

async function coverOfTrack(services: Services, job: Job, trackId: string, run: TaskRun): Promise<void> {
  const { organizationId } = job
  const track = await services.db.track.findFirst({ where: { id: trackId, deletedAt: null } })
  const variants = await services.db.variant.findMany({
    where: { ...organizationVariantWhere(organizationId), type: 'cover' },
  })
  if (!track) return
  for (const { id: variantId, props } of variants) {
    const file = { organizationId, trackId, variantId, props: props as Prisma.InputJsonObject }
    const { kept, theme } = await make(services, organizationId, trackId, run, async (made) => {
      const { state: _, ...cover } = await keepTrackCovers(services, made, { ...file, props }, job.id, track.fileName)
      return cover
    })
    const newest = { id: trackId, coverUploadedAt: track.coverUploadedAt, deletedAt: null }
    await services.db.$transaction(async (tx) => {
      const [variant] = await holdVariants(tx, { id: variantId })
      if (!variant) return
      // A cover that came after this one has a job of its own.
      const { count } = await tx.track.updateMany({ where: newest, data: { theme } })
      if (count === 0) return
      await tx.trackFile.createMany({ data: [file], skipDuplicates: true })
      const place = { where: { trackId, variantId }, track, variant, recipe: file.props }
      await putFile(services, tx, { ...kept, props: file.props }, place)
    })
  }
}

async function coverOfCollection(services: Services, organizationId: string, id: string, run: TaskRun): Promise<void> {
  const collection = await services.db.collection.findFirst({ where: { id, deletedAt: null } })
  if (!collection) return
  const large = `${organizationId}/${id}/cover.jpg`
  const { kept: covers, theme } = await make(services, organizationId, id, run, (made) =>
    keepCovers(services, made, large),
  )
  await services.db.collection.updateMany({
    where: { id, coverUploadedAt: collection.coverUploadedAt, deletedAt: null },
    data: { cover: covers as unknown as Prisma.InputJsonObject, theme },
  })
}

/** From the uploaded image to stored sizes and colours. */
async function make<T>(
  services: Services,
  organizationId: string,
  id: string,
  run: TaskRun,
  keep: (made: readonly CoverFile[]) => Promise<T>,
) {
  return withScratch(async (folder) => {
    const image = await services.storage.fetch(coverKey(organizationId, id), folder)
    const input = await imageInput(image)
    if (!input) throw notAnImage()
    const made = await makeCovers(services.tools, input, folder, run.signal)
    const kept = await keep(made)
    const theme = await extractTheme(services.tools, made, folder)
    return { kept, theme: theme as unknown as Prisma.InputJsonArray }
  })
}
