import { AppError } from '../../../platform/errors.ts'
import { type DrawnColors, drawRays } from '../../../platform/media/cover/draw.ts'
import { artworkEdges, coverSizes } from '../../../platform/media/cover/sizes.ts'
import { oneAtATime } from '../../../platform/one-at-a-time.ts'
import { Recent } from '../../../platform/recent.ts'
import { findDrawnColors, type Shared, type SharedCoverSize } from './subject.ts'

/** Pictures that are kept: at most 300 kB each. */
const MAX_KEPT = 50
/** Pictures that wait to be drawn. Each takes about 40 ms of a core. */
const MAX_WAITING = 50

const edges: Record<SharedCoverSize, number> = { ...coverSizes, artwork: artworkEdges.min }

/** Returns a function that draws the picture of a share link without a cover, one at a time. */
export function createDrawnCovers(): (shared: Shared, size: SharedCoverSize) => Promise<Uint8Array<ArrayBuffer>> {
  const pictures = new Recent<Promise<Uint8Array<ArrayBuffer>>>(MAX_KEPT)
  const inTurn = oneAtATime()
  let waiting = 0

  function draw(levels: readonly number[], colors: DrawnColors, edge: number) {
    if (waiting >= MAX_WAITING) throw new AppError('unavailable', 'Too many pictures are drawn. Try again shortly.')
    waiting += 1
    return inTurn(() => drawRays(levels, colors, edge)).finally(() => {
      waiting -= 1
    })
  }

  return async ({ track }, size) => {
    const colors = findDrawnColors(track)
    const levels = track.levels ?? []
    const name = JSON.stringify([size, colors, Bun.hash(levels.join()).toString(36)])
    const knownPicture = pictures.get(name)
    if (knownPicture) return knownPicture
    const picture = draw(levels, colors, edges[size])
    pictures.set(name, picture)
    // The next request tries it again.
    picture.catch(() => pictures.deleteWhere((other) => other === picture))
    return picture
  }
}
