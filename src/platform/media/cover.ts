import { join } from 'node:path'
import { MediaError, runTool, type Tools } from './run.ts'

/** Edge lengths in pixels of the four sizes of a cover (contract, section 3). */
export const coverSizes = { icon: 64, small: 200, regular: 500, large: 1200 } as const
export type CoverSize = keyof typeof coverSizes

/** One size of a cover, as a local file. */
export interface CoverFile {
  size: CoverSize
  file: string
  width: number
  height: number
}

/** A colour of a cover: its share of the area, its lightness and saturation, all 0-1. */
export interface ThemeColor {
  hex: string
  area: number
  lightness: number
  saturation: number
}

const TIMEOUT_MS = 60_000
/** Images are read by the demuxer that fits their first bytes, so that no other is tried. */
const signatures: [demuxer: string, bytes: RegExp][] = [
  ['jpeg_pipe', /^\xff\xd8\xff/],
  ['png_pipe', /^\x89PNG\r\n/],
  ['webp_pipe', /^RIFF[\s\S]{4}WEBP/],
]

/** ffmpeg's demuxer for an image file, or null where it is none that covers may have. */
export async function imageDemuxer(file: string): Promise<string | null> {
  const head = Buffer.from(await Bun.file(file).slice(0, 16).arrayBuffer()).toString('latin1')
  return signatures.find(([, pattern]) => pattern.test(head))?.[0] ?? null
}

/**
 * Makes the four JPEG sizes of a cover, never larger than the image itself, proportions kept, metadata dropped.
 * @param input options that end in `-i FILE`, and the stream to take
 * @param folder where the results are written
 * @throws MediaError `not_an_image`
 */
export async function makeCovers(
  tools: Tools,
  input: { args: readonly string[]; stream: string },
  folder: string,
  signal?: AbortSignal,
): Promise<CoverFile[]> {
  const sizes = Object.keys(coverSizes) as CoverSize[]
  const fileOf = (size: CoverSize) => join(folder, `cover-${size}.jpg`)
  const outputs = sizes.flatMap((size) => [
    ...['-map', input.stream, '-frames:v', '1', '-vf', scaleTo(coverSizes[size])],
    ...['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1', '-fflags', '+bitexact'],
    ...['-update', '1', '-f', 'image2', '-y', fileOf(size)],
  ])
  const { exitCode, stderr } = await runTool(
    tools,
    'ffmpeg',
    ['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', String(512 << 20), ...input.args, ...outputs],
    { timeoutMs: TIMEOUT_MS, signal },
  )
  if (exitCode !== 0) throw notAnImage(stderr)
  return Promise.all(sizes.map(async (size) => ({ size, file: fileOf(size), ...(await jpegDimensions(fileOf(size))) })))
}

export const notAnImage = (detail = '') =>
  new MediaError('not_an_image', 'The cover is not an image that we can read. Upload a JPEG, PNG or WebP.', detail)

function scaleTo(edge: number): string {
  const fit = `min(1\\,${edge}/max(iw\\,ih))`
  return `scale=w='max(1\\,trunc(iw*${fit}))':h='max(1\\,trunc(ih*${fit}))':flags=lanczos`
}

/** Width and height from a JPEG's frame header (ITU-T T.81, B.2.2). */
async function jpegDimensions(file: string): Promise<{ width: number; height: number }> {
  const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
  for (let at = 2; at + 9 < bytes.length; ) {
    const marker = bytes.readUInt16BE(at)
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  throw notAnImage('no frame header in our own JPEG')
}

const SAMPLE_EDGE = 64
const MAX_COLORS = 6
/** Colours nearer than this in RGB belong to one patch of the cover. */
const MERGE_DISTANCE = 48

/**
 * The colours of a cover, largest area first.
 * @param made the sizes that we made of it; one is enough
 * @see contract, section 8
 */
export async function extractTheme(tools: Tools, made: readonly CoverFile[], folder: string): Promise<ThemeColor[]> {
  const image = made.find(({ size }) => size === 'small')?.file ?? ''
  const raw = join(folder, 'theme.rgb')
  const { exitCode, stderr } = await runTool(
    tools,
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-f', 'jpeg_pipe', '-i', image],
      ...['-vf', `scale=${SAMPLE_EDGE}:${SAMPLE_EDGE}:flags=area`, '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-y', raw],
    ],
    { timeoutMs: TIMEOUT_MS },
  )
  if (exitCode !== 0) throw notAnImage(stderr)
  return themeOf(new Uint8Array(await Bun.file(raw).arrayBuffer()))
}

/** Groups pixels into at most six colours. `pixels` is RGB, three bytes each. */
export function themeOf(pixels: Uint8Array): ThemeColor[] {
  interface Patch {
    count: number
    sum: [number, number, number]
  }
  const bins = new Map<number, Patch>()
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const [r, g, b] = [pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0]
    const bin = ((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4)
    const patch = bins.get(bin) ?? { count: 0, sum: [0, 0, 0] }
    patch.count += 1
    patch.sum[0] += r
    patch.sum[1] += g
    patch.sum[2] += b
    bins.set(bin, patch)
  }
  const mean = ({ count, sum }: Patch) => sum.map((part) => part / count) as [number, number, number]
  const patches: Patch[] = []
  for (const patch of [...bins.values()].sort((a, b) => b.count - a.count)) {
    const color = mean(patch)
    const near = patches.find((other) => distance(mean(other), color) < MERGE_DISTANCE)
    if (!near) patches.push(patch)
    else {
      near.count += patch.count
      near.sum = near.sum.map((part, i) => part + (patch.sum[i] ?? 0)) as Patch['sum']
    }
  }
  const total = pixels.length / 3
  return patches
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_COLORS)
    .map((patch) => describe(mean(patch), patch.count / total))
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((part, i) => part - (b[i] ?? 0)))
}

function describe(rgb: [number, number, number], area: number): ThemeColor {
  const hex = `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
  const [max, min] = [Math.max(...rgb) / 255, Math.min(...rgb) / 255]
  const lightness = (max + min) / 2
  const saturation = max === min ? 0 : (max - min) / (1 - Math.abs(2 * lightness - 1))
  const round = (value: number) => Math.round(value * 1000) / 1000
  return { hex, area: round(area), lightness: round(lightness), saturation: round(Math.min(1, saturation)) }
}
