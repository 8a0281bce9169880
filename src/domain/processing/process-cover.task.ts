import type { Services } from '../../platform/context.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { extractTheme, makeCovers, notAnImage } from '../../platform/media/cover.ts'
import { MediaError, withScratch } from '../../platform/media/run.ts'
import { type TaskRun, task } from '../../platform/task.ts'
import { coverKey } from '../track/service.ts'
import { imageInput, keepCovers } from './make-cover.ts'
import { processCover } from './schema.ts'

/** Makes the sizes of an uploaded cover, for a track or a collection, and takes its colours. */
export const processCoverTask = task(processCover, async (services, { jobId }, run) => {
  const job = await services.db.job.findUniqueOrThrow({ where: { id: jobId } })
  if (job.state === 'done' || job.state === 'failed') return
  const end = (state: 'done' | 'failed', error?: string) =>
    services.db.job.update({ where: { id: jobId }, data: { state, error, finishedAt: services.clock() } })
  if (run.isLastAttempt) return void (await end('failed', 'processing_failed'))
  await services.db.job.update({
    where: { id: jobId },
    data: { state: 'running', attempts: run.attempt, startedAt: services.clock() },
  })
  try {
    if (job.trackId) await coverOfTrack(services, job.organizationId, job.trackId, run)
    else if (job.collectionId) await coverOfCollection(services, job.organizationId, job.collectionId, run)
    await end('done')
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    services.log.info({ jobId, code: error.code, detail: error.detail }, 'a cover could not be read')
    await end('failed', error.code)
  }
})

async function coverOfTrack(services: Services, organizationId: string, trackId: string, run: TaskRun): Promise<void> {
  const track = await services.db.track.findFirst({ where: { id: trackId, deletedAt: null } })
  const variants = await services.db.variant.findMany({
    where: { organizationId, trackId: null, type: 'cover', deletedAt: null },
  })
  if (!track) return
  for (const variant of variants) {
    const { covers, theme } = await make(services, organizationId, trackId, `${track.basePath}_${variant.index}`, run)
    const { path, size, sha256 } = covers.large
    const file = {
      state: 'done' as const,
      path,
      size,
      sha256,
      contentType: 'image/jpeg',
      fileName: `${track.fileName.replace(/\.[A-Za-z0-9]{1,8}$/, '')}.jpg`,
      data: covers as unknown as Prisma.InputJsonObject,
      completedAt: services.clock(),
      statusCode: null,
      statusText: null,
    }
    const newest = { id: trackId, coverUploadedAt: track.coverUploadedAt, deletedAt: null }
    await services.db.$transaction(async (tx) => {
      // A cover that came after this one has a job of its own.
      const { count } = await tx.track.updateMany({ where: newest, data: { theme } })
      if (count === 0) return
      await tx.trackFile.upsert({
        where: { trackId_variantId: { trackId, variantId: variant.id } },
        create: { ...file, organizationId, trackId, variantId: variant.id, props: {} },
        update: file,
      })
    })
  }
}

async function coverOfCollection(services: Services, organizationId: string, id: string, run: TaskRun): Promise<void> {
  const collection = await services.db.collection.findFirst({ where: { id, deletedAt: null } })
  if (!collection) return
  const { covers, theme } = await make(services, organizationId, id, `${organizationId}/${id}/cover`, run)
  await services.db.collection.updateMany({
    where: { id, coverUploadedAt: collection.coverUploadedAt, deletedAt: null },
    data: { cover: covers as unknown as Prisma.InputJsonObject, theme },
  })
}

/** From the uploaded image to stored sizes and colours. */
async function make(services: Services, organizationId: string, id: string, base: string, run: TaskRun) {
  return withScratch(async (folder) => {
    const image = await services.storage.fetch(coverKey(organizationId, id), folder)
    const input = await imageInput(image)
    if (!input) throw notAnImage()
    const made = await makeCovers(services.tools, input, folder, run.signal)
    const covers = await keepCovers(services, made, base)
    const theme = await extractTheme(services.tools, made, folder)
    return { covers, theme: theme as unknown as Prisma.InputJsonArray }
  })
}
