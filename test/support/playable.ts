import type { TestService } from './service.ts'
import { readyTrack } from './viewers.ts'

export const LEVELS = {
  avg: 0.2,
  max: 0.3,
  min: 0.1,
  levels: [0.1, 0.2, 0.3],
  metric: 'rms',
  resample: 8000,
  num_samples: 3,
}

interface Wanted {
  collectionId?: string
  creatorId?: string | null
  order?: number
  /** Indexes of the demo organization's variants that have a finished file. */
  indexes?: string[]
}

/** Creates a ready track with finished files in the database only; there are no bytes. */
export async function playableTrack(
  service: TestService,
  { collectionId = service.demo.collection_id, creatorId = null, order = 0, indexes = ['hq', 'preview'] }: Wanted = {},
): Promise<string> {
  const { db } = service.services
  const id = await readyTrack(service, collectionId, creatorId)
  const { basePath } = await db.track.update({ where: { id }, data: { order } })
  const organizationId = service.demo.organization_id
  const variants = await db.variant.findMany({ where: { organizationId, deletedAt: null, index: { in: indexes } } })
  for (const { id: variantId, index, type, props } of variants) {
    await db.trackFile.create({
      data: {
        organizationId,
        trackId: id,
        variantId,
        index,
        state: 'done',
        path: `${basePath}_${index}.bin`,
        size: 1n,
        storageKey: `${basePath}_${index}.bin`,
        fileName: 'song.bin',
        contentType: 'audio/mp4',
        sha256: 'a'.repeat(64),
        completedAt: new Date(),
        props: props ?? {},
        data: type === 'levels' ? LEVELS : undefined,
      },
    })
  }
  return id
}
