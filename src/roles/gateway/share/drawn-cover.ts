import type { SharedTrack } from '../../../domain/playback/share.ts'
import { AppError } from '../../../platform/errors.ts'
import { type DrawnColors, drawRays } from '../../../platform/media/cover/draw.ts'
import { artworkEdges, coverSizes } from '../../../platform/media/cover/sizes.ts'
import { oneAtATime } from '../../../platform/one-at-a-time.ts'
import { Recent } from '../../../platform/recent.ts'
import { findDrawnColors, type Shared, type SharedCoverSize } from './subject.ts'

/** Pictures that are kept: at most 300 kB each. */
const MAX_KEPT = 50
/** Pictures of an organization that wait to be drawn. Each takes about 40 ms of a core. */
const MAX_WAITING = 10

const edges: Record<SharedCoverSize, number> = { ...coverSizes, artwork: artworkEdges.min }

/** Returns a function that draws the picture of a share link without a cover, one at a time. */
export function createDrawnCovers(): (shared: Shared, size: SharedCoverSize) => Promise<Uint8Array<ArrayBuffer>> {
  const pictures = new Recent<Promise<Uint8Array<ArrayBuffer>>>(MAX_KEPT)
  const inTurn = oneAtATime()
  /** By organization. */
  const waiting = new Map<string, number>()

  async function draw({ organizationId, levels }: SharedTrack, colors: DrawnColors, edge: number) {
    const before = waiting.get(organizationId) ?? 0
    if (before >= MAX_WAITING) throw new AppError('unavailable', 'Too many pictures are drawn. Try again shortly.')
    waiting.set(organizationId, before + 1)
    try {
      return await inTurn(() => drawRays(levels ?? [], colors, edge))
    } finally {
      const rest = (waiting.get(organizationId) ?? 1) - 1
      if (rest > 0) waiting.set(organizationId, rest)
      else waiting.delete(organizationId)
    }
  }

  return async ({ track }, size) => {
    const colors = findDrawnColors(track)
    const name = JSON.stringify([size, colors, Bun.hash((track.levels ?? []).join()).toString(36)])
    const knownPicture = pictures.get(name)
    if (knownPicture) return knownPicture
    const picture = draw(track, colors, edges[size])
    pictures.set(name, picture)
    // The next request tries it again.
    picture.catch(() => pictures.deleteWhere((other) => other === picture))
    return picture
  }
}
