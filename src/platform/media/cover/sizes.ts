/** Edge lengths in pixels of the four sizes of a cover (contract, section 3). */
export const coverSizes = { icon: 64, small: 200, regular: 500, large: 1200 } as const
export type CoverSize = keyof typeof coverSizes
export const coverSizeNames = Object.keys(coverSizes) as CoverSize[]

/** Formats of every size: JPEG for clients without WebP. */
export const coverFormats = { jpg: 'image/jpeg', webp: 'image/webp' } as const
export type CoverFormat = keyof typeof coverFormats

/** Maximum number of pixels of an uploaded cover: twice what players and shops request in each direction. */
export const MAX_PIXELS = 50_000_000

/** Edge length in pixels of a picture that is converted for an audio file, and its file name. */
export const SINGLE_EDGE = 3000
export const SINGLE_FILE = 'single.jpg'

/** Edge lengths in pixels of the square JPEG that podcast directories require (Apple Podcasts, show cover), and its file name. */
export const artworkEdges = { min: 1400, max: 3000 } as const
export const ARTWORK_FILE = 'artwork.jpg'

/** File name of a size. */
export const toCoverFileName = (size: CoverSize, format: CoverFormat) => `cover-${size}.${format}`

/** Returns the edge of the artwork that a picture allows: its largest square in the middle. Null for a smaller picture. */
export function findArtworkEdge({ width, height }: Dimensions): number | null {
  const edge = Math.min(width, height, artworkEdges.max)
  return edge < artworkEdges.min ? null : edge
}

interface Dimensions {
  width: number
  height: number
}

/** Returns the dimensions of a picture fitted into a square: proportions kept, never enlarged, at least one pixel. */
export function fitInto(edge: number, { width, height }: Dimensions): Dimensions {
  const factor = Math.min(1, edge / Math.max(width, height))
  const scaled = (length: number) => Math.max(1, Math.floor(length * factor + 1e-9))
  return { width: scaled(width), height: scaled(height) }
}
