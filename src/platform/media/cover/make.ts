import { join } from 'node:path'
import { checkHost, HostFault } from '../ffmpeg/host-fault.ts'
import { mediaError } from '../ffmpeg/reasons.ts'
import type { Tools } from '../ffmpeg/run.ts'
import { lastLine } from '../sandboxed-program.ts'
import { CPU_SECONDS, runCoverProgram } from './child.ts'
import { type Report, report } from './report.ts'
import { beginsLikePicture } from './signature.ts'
import { ARTWORK_FILE, type CoverFormat, type CoverSize, coverFormats, SINGLE_FILE, toCoverFileName } from './sizes.ts'
import type { CoverThemeColor } from './theme.ts'

/** One size of a cover, as local files. */
export interface CoverFile {
  size: CoverSize
  /** Pixels. */
  width: number
  height: number
  /** Local path by format. */
  files: Record<CoverFormat, string>
}

/** A cover generated from a picture. */
export interface Cover {
  sizes: CoverFile[]
  /** The square JPEG for directories. Null unless it was requested and the picture is large enough. */
  artwork: { edge: number; file: string } | null
  theme: CoverThemeColor[]
}

/**
 * Generates the four sizes of a cover, each as JPEG and WebP: upright, in sRGB, with the proportions of the picture,
 * never larger than it, without metadata or profile. JPEGs replace transparency with white. Accepts JPEG, PNG, WebP and
 * GIF; of an animation the first image.
 * @param image local path, not validated
 * @param folder for the results
 * @param options `hasArtwork`: whether to make the JPEG for directories, defaults to false
 * @throws MediaError `not_an_image`, `image_too_large`, `image_decoder_failed`, `timed_out`; HostFault
 */
export async function makeCovers(
  tools: Pick<Tools, 'sandbox' | 'pictureView'>,
  image: string,
  folder: string,
  signal?: AbortSignal,
  { hasArtwork = false } = {},
): Promise<Cover> {
  const sizesReport = await run(tools, image, folder, hasArtwork ? ['artwork'] : [], signal)
  if (!('sizes' in sizesReport)) throw mediaError('image_decoder_failed', 'no sizes')
  const { sizes, artworkEdge, theme } = sizesReport
  const formats = Object.keys(coverFormats) as CoverFormat[]
  const toFiles = (size: CoverSize) =>
    Object.fromEntries(formats.map((format) => [format, join(folder, toCoverFileName(size, format))]))
  const artwork = artworkEdge === null ? null : { edge: artworkEdge, file: join(folder, ARTWORK_FILE) }
  return {
    sizes: sizes.map((entry) => ({ ...entry, files: toFiles(entry.size) as CoverFile['files'] })),
    artwork,
    theme,
  }
}

/**
 * Converts a picture to one JPEG for an audio file: upright, in sRGB, on white, at most 3000 pixels wide and high,
 * without metadata. Accepts what `makeCovers` accepts.
 * @returns its local path
 * @throws as `makeCovers` does
 */
export async function convertPicture(
  tools: Pick<Tools, 'sandbox' | 'pictureView'>,
  image: string,
  folder: string,
  signal?: AbortSignal,
): Promise<string> {
  await run(tools, image, folder, ['single'], signal)
  return join(folder, SINGLE_FILE)
}

async function run(
  tools: Pick<Tools, 'sandbox' | 'pictureView'>,
  image: string,
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<Exclude<Report, { fault: string }>> {
  if (!(await beginsLikePicture(image))) throw mediaError('not_an_image')
  const ended = await runCoverProgram(tools, image, folder, signal, { args })
  checkHost([ended], CPU_SECONDS)
  const { stdout, stderr, exitCode } = ended
  if (ended.timedOut) throw mediaError('timed_out')
  const parsedReport = exitCode === 0 ? report.safeParse(lastLine(stdout)) : undefined
  if (!parsedReport?.success) throw mediaError('image_decoder_failed', `status ${exitCode}: ${stderr}`)
  if ('fault' in parsedReport.data) throw toError(parsedReport.data)
  return parsedReport.data
}

function toError({ fault, detail }: Extract<Report, { fault: string }>): Error {
  if (fault === 'unavailable') return new HostFault('images_unavailable', detail)
  if (fault === 'unwritable') return new HostFault('disk_full', detail)
  return mediaError(fault === 'too_large' ? 'image_too_large' : 'not_an_image', detail)
}
