import { join } from 'node:path'
import { type MediaError, mediaError } from '../ffmpeg/reasons.ts'
import type { Tools } from '../ffmpeg/run.ts'
import { runCoverProgram } from './child.ts'
import { type Report, report } from './report.ts'
import { beginsLikePicture } from './signature.ts'
import { type CoverFormat, type CoverSize, coverFormats, fileNameOf } from './sizes.ts'
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
  tools: Pick<Tools, 'sandbox' | 'pictureView'>,
  image: string,
  folder: string,
  signal?: AbortSignal,
): Promise<Cover> {
  if (!(await beginsLikePicture(image))) throw mediaError('not_an_image')
  const { stdout, stderr, exitCode } = await runCoverProgram(tools, image, folder, signal)
  const made = exitCode === 0 ? report.safeParse(lastLine(stdout)) : undefined
  if (!made?.success) throw mediaError('image_decoder_failed', `status ${exitCode}: ${stderr}`)
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
  if (fault === 'too_large') return mediaError('image_too_large', detail)
  return mediaError(fault === 'unreadable' ? 'not_an_image' : 'images_unavailable', detail)
}
