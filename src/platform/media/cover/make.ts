import { join } from 'node:path'
import { MediaError, type Tools } from '../run.ts'
import { runCoverProgram } from './child.ts'
import { type Report, report } from './report.ts'
import { beginsLikePicture } from './signature.ts'
import { type CoverFormat, type CoverSize, coverFormats, fileNameOf, MAX_PIXELS } from './sizes.ts'
import type { ThemeColor } from './theme.ts'

/** One size of a cover, as local files. */
export interface CoverFile {
  size: CoverSize
  /** Pixels. */
  width: number
  height: number
  /** Local path by format. */
  files: Record<CoverFormat, string>
}

/** A cover that was made of a picture. */
export interface Cover {
  sizes: CoverFile[]
  theme: ThemeColor[]
}

/**
 * Makes the four sizes of a cover, each as JPEG and WebP, upright, in sRGB, never larger than the picture itself, its
 * proportions kept and nothing else of it: no metadata, no profile. JPEGs are white where the picture is transparent.
 * Reads JPEG, PNG, WebP and GIF, of what moves the first image.
 * @param image local path, of anything
 * @param folder where the results are written
 * @throws MediaError `not_an_image`, `image_too_large`, `image_decoder_failed`, `images_unavailable`, `timed_out`
 */
export async function makeCovers(
  tools: Pick<Tools, 'sandbox'>,
  image: string,
  folder: string,
  signal?: AbortSignal,
): Promise<Cover> {
  if (!(await beginsLikePicture(image))) throw notAnImage()
  const { stdout, stderr, exitCode } = await runCoverProgram(tools, image, folder, signal)
  const made = exitCode === 0 ? report.safeParse(lastLine(stdout)) : undefined
  if (!made?.success) throw decoderFailed(`status ${exitCode}: ${stderr}`)
  if ('fault' in made.data) throw faultOf(made.data)
  const { sizes, theme } = made.data
  const formats = Object.keys(coverFormats) as CoverFormat[]
  const filesOf = (size: CoverSize) =>
    Object.fromEntries(formats.map((format) => [format, join(folder, fileNameOf(size, format))]))
  return { sizes: sizes.map((entry) => ({ ...entry, files: filesOf(entry.size) as CoverFile['files'] })), theme }
}

/** What the program reports at its end; null for one that was cut off. */
function lastLine(stdout: string): unknown {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  } catch {
    return null
  }
}

function faultOf({ fault, detail }: Extract<Report, { fault: string }>): MediaError {
  if (fault === 'too_large') return tooLarge(detail)
  return fault === 'unreadable' ? notAnImage(detail) : unavailable(detail)
}

const notAnImage = (detail = '') =>
  new MediaError('not_an_image', 'The cover is not an image that we can read. Upload a JPEG, PNG, WebP or GIF.', detail)

const tooLarge = (detail: string) =>
  new MediaError(
    'image_too_large',
    `The cover has more than ${MAX_PIXELS / 1e6} million pixels. Upload a smaller one; 3000 by 3000 is plenty.`,
    detail,
  )

const decoderFailed = (detail: string) =>
  new MediaError('image_decoder_failed', 'The cover could not be decoded. Save it anew and upload that.', detail)

/** The host's fault: its sentence is for whoever runs the service. */
const unavailable = (detail: string) =>
  new MediaError('images_unavailable', 'Covers cannot be made here: the image library does not load.', detail)
