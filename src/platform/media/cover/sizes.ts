/** Edge lengths in pixels of the four sizes of a cover (contract, section 3). */
export const coverSizes = { icon: 64, small: 200, regular: 500, large: 1200 } as const
export type CoverSize = keyof typeof coverSizes
export const coverSizeNames = Object.keys(coverSizes) as CoverSize[]

/** Every size is made in both: JPEG for whoever knows nothing else, WebP for the rest. */
export const coverFormats = { jpg: 'image/jpeg', webp: 'image/webp' } as const
export type CoverFormat = keyof typeof coverFormats

/** A cover has no more pixels than this: twice what players and shops ask for in each direction. */
export const MAX_PIXELS = 50_000_000

/** Name of a size in a folder. */
export const fileNameOf = (size: CoverSize, format: CoverFormat) => `cover-${size}.${format}`

interface Dimensions {
  width: number
  height: number
}

/** What a picture measures when it has to fit a square: proportions kept, never larger than it is, never nothing. */
export function fitInto(edge: number, { width, height }: Dimensions): Dimensions {
  const factor = Math.min(1, edge / Math.max(width, height))
  const scaled = (length: number) => Math.max(1, Math.floor(length * factor + 1e-9))
  return { width: scaled(width), height: scaled(height) }
}
