import { join } from 'node:path'
import { type FileTags, writeTags } from '../../src/platform/media/tags/write.ts'
import { makeMedia } from './audio.ts'
import type { Json } from './service.ts'
import { PACKAGED_FFPROBE } from './tools.ts'

export const formats = ['aac', 'mp3', 'ogg', 'opus', 'flac', 'alac', 'wav'] as const
export type Format = (typeof formats)[number]

const encoders: Record<Format, { args: string[]; extension: string }> = {
  aac: { args: ['-c:a', 'aac', '-movflags', '+faststart', '-f', 'ipod'], extension: 'm4a' },
  mp3: { args: ['-c:a', 'libmp3lame', '-b:a', '128k', '-write_xing', '1', '-f', 'mp3'], extension: 'mp3' },
  ogg: { args: ['-c:a', 'libvorbis', '-f', 'ogg'], extension: 'ogg' },
  opus: { args: ['-c:a', 'libopus', '-b:a', '64k', '-f', 'opus'], extension: 'opus' },
  flac: { args: ['-c:a', 'flac', '-f', 'flac'], extension: 'flac' },
  alac: { args: ['-c:a', 'alac', '-movflags', '+faststart', '-f', 'ipod'], extension: 'm4a' },
  wav: { args: ['-c:a', 'pcm_s16le', '-rf64', 'auto', '-f', 'wav'], extension: 'wav' },
}
const exact = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact']

const cache = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

/** A file as an encoder leaves it: sound, and neither tags nor a picture. @returns its path in the folder */
export async function bareFile(folder: string, format: Format, seconds = 1): Promise<string> {
  const { args, extension } = encoders[format]
  const input = ['-f', 'lavfi', '-i', `aevalsrc=0.5*sin(440*2*PI*t)|0.3*sin(997*t*2*PI):s=48000:d=${seconds}`]
  const key = `${format} ${seconds}`
  const bytes = cache.get(key) ?? makeMedia([...input, ...exact, ...args], extension)
  cache.set(key, bytes)
  const file = join(folder, `${crypto.randomUUID()}.${extension}`)
  await Bun.write(file, await bytes)
  return file
}

/** A bare file that these tags are written into. */
export async function taggedFile(folder: string, format: Format, tags: Partial<FileTags>): Promise<string> {
  const file = await bareFile(folder, format)
  await writeTags(file, format, { tags: null, cover: null, gain: null, ...tags })
  return file
}

/** Entries that containers write about themselves, which are no tags of the sound. */
const structure = ['major_brand', 'minor_version', 'compatible_brands', 'handler_name', 'vendor_id']

/** Tags of ffprobe with keys in lower case, and its description of the attached picture. */
export function probeTags(file: string): { tags: Record<string, string>; picture: Json | null; audio: Json } {
  const { stdout } = Bun.spawnSync([
    PACKAGED_FFPROBE,
    '-v',
    'error',
    '-of',
    'json',
    '-show_format',
    '-show_streams',
    file,
  ])
  const { streams, format } = JSON.parse(stdout.toString())
  const audio = streams.find((stream: Json) => stream.codec_type === 'audio')
  const entries = Object.entries<string>({ ...audio.tags, ...format.tags })
  const isTag = ([key, value]: [string, string]) =>
    // The name of the encoder in an MP3 is read off the frame that holds its delay.
    !structure.includes(key) && `${key}=${value}` !== 'language=und' && `${key}=${value}` !== 'encoder=Lavf lame'
  const tags = Object.fromEntries(entries.filter(isTag).map(([key, value]) => [key.toLowerCase(), value]))
  return { tags, picture: streams.find((stream: Json) => stream.disposition.attached_pic === 1) ?? null, audio }
}

/** The chapters that ffprobe shows. */
export function shownChapters(file: string): { title: string | undefined; startSeconds: number }[] {
  const { stdout } = Bun.spawnSync([PACKAGED_FFPROBE, '-v', 'error', '-of', 'json', '-show_chapters', file])
  return JSON.parse(stdout.toString())
    .chapters.map(({ tags, start_time: start }: Json) => ({ title: tags?.title, startSeconds: Number(start) }))
    .sort((a: Json, b: Json) => a.startSeconds - b.startSeconds)
}
