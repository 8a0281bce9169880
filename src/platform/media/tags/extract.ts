import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { extractCover } from '../cover/embedded.ts'
import { convertPicture } from '../cover/make.ts'
import { withoutMetadata } from '../cover/metadata.ts'
import { beginsLikePicture } from '../cover/signature.ts'
import { SINGLE_EDGE } from '../cover/sizes.ts'
import { ffmpegFlags } from '../ffmpeg/flags.ts'
import { hostileInput, MediaError, runTool, type Tools } from '../ffmpeg/run.ts'
import type { FileTags } from './write.ts'

const CPU_SECONDS = 60
/** Players load the whole picture before they show anything. */
const MAX_PICTURE_BYTES = 10 << 20

const signatures: [type: 'image/jpeg' | 'image/png', bytes: RegExp][] = [
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n/],
]

/** Embedded pictures of a recording. */
interface Embedded {
  /** Stream index, from the probe. Null without one. */
  coverStream: number | null
  /** Local path of the picture that the reader of tags found. Null without one. */
  picture: string | null
}

/**
 * Extracts the embedded picture of a recording to a local file, without metadata other than its orientation and its
 * color profile: the same JPEG or PNG if it is valid and of reasonable size, else a JPEG.
 * @param source local path of the untrusted file
 * @param folder for the picture
 * @returns null when there is no picture, or none that can be decoded
 * @throws AbortError of the given signal; HostFault
 */
export async function extractPicture(
  tools: Tools,
  source: string,
  { coverStream, picture }: Embedded,
  folder: string,
  signal?: AbortSignal,
): Promise<FileTags['cover']> {
  const extraction = { tools, source, coverStream, folder, signal }
  // Pictures of other types are found by the reader alone, and may precede one that ffmpeg finds.
  const isOther = picture !== null && (await beginsLikePicture(picture)) && (await pictureType(picture)) === null
  const ways = [...(isOther ? [] : [copied]), (input: Extraction) => converted(input, picture), reencoded]
  for (const way of ways) {
    try {
      const cover = await way(extraction)
      if (cover) return cover
    } catch (error) {
      if (!(error instanceof MediaError)) throw error
    }
  }
  return null
}

interface Extraction {
  tools: Tools
  source: string
  coverStream: number | null
  folder: string
  signal?: AbortSignal
}

async function extract({ tools, source, signal }: Extraction, outputs: readonly string[]): Promise<boolean> {
  // Without these two a decoder conceals missing data and succeeds.
  const strict = ['-xerror', '-err_detect:v', 'explode']
  const args = [...ffmpegFlags, ...hostileInput, ...strict, '-i', `file:${source}`, ...outputs]
  const { exitCode } = await runTool(tools, 'ffmpeg', args, { cpuSeconds: CPU_SECONDS, signal })
  return exitCode === 0
}

const mapStream = (coverStream: number) => ['-map', `0:${coverStream}`, '-frames:v', '1']

/** The bytes of the picture without its metadata. Copied and decoded in one run, so that it is decodable. */
async function copied(extraction: Extraction): Promise<FileTags['cover']> {
  const { coverStream, folder } = extraction
  if (coverStream === null) return null
  const file = join(folder, 'embedded-cover')
  const map = mapStream(coverStream)
  const isCopied = await extract(extraction, [
    ...map,
    '-c:v',
    'copy',
    ...single,
    `file:${file}`,
    ...map,
    '-f',
    'null',
    '-',
  ])
  const type = isCopied ? await pictureType(file) : null
  const bytes = type && Bun.file(file).size <= MAX_PICTURE_BYTES ? await Bun.file(file).bytes() : null
  await rm(file, { force: true })
  const bare = bytes && type && withoutMetadata(Buffer.from(bytes), type)
  if (!bare || !type) return null
  await Bun.write(file, bare)
  return { file, type }
}

/** A JPEG of a picture of any type that covers may have. */
async function converted({ tools, source, coverStream, folder, signal }: Extraction, picture: string | null) {
  const original =
    picture ?? (coverStream === null ? null : await extractCover(tools, source, coverStream, folder, signal))
  if (original === null) return null
  try {
    return { file: await convertPicture(tools, original, folder, signal), type: 'image/jpeg' } as const
  } finally {
    if (picture === null) await rm(original, { force: true })
  }
}

/** A JPEG of a picture of another type, such as BMP. */
async function reencoded(extraction: Extraction): Promise<FileTags['cover']> {
  const { coverStream, folder } = extraction
  if (coverStream === null) return null
  const file = join(folder, 'embedded-cover.jpg')
  const fit = `scale=w='min(iw,${SINGLE_EDGE})':h='min(ih,${SINGLE_EDGE})':force_original_aspect_ratio=decrease:flags=lanczos`
  const encode = ['-vf', fit, '-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1']
  const outputs = [...mapStream(coverStream), ...encode, '-fflags', '+bitexact', ...single, `file:${file}`]
  return (await extract(extraction, outputs)) && (await pictureType(file)) ? { file, type: 'image/jpeg' } : null
}

const single = ['-update', '1', '-f', 'image2', '-y']

async function pictureType(file: string): Promise<'image/jpeg' | 'image/png' | null> {
  if (!(await Bun.file(file).exists())) return null
  const head = Buffer.from(await Bun.file(file).slice(0, 8).arrayBuffer()).toString('latin1')
  return signatures.find(([, pattern]) => pattern.test(head))?.[0] ?? null
}
