import { z } from 'zod'
import { hostileInput, MediaError, runTool, type Tools } from './run.ts'

/** What is known of a recording before it is decoded. */
export interface Probe {
  /** ffprobe's name of the container, e.g. `mov,mp4,m4a,3gp,3g2,mj2`. */
  container: string
  codec: string
  sampleRate: number
  /** ffmpeg's name of the form in which the decoder gives samples, such as `s16p`. */
  sampleFormat: string
  channels: number
  /** ffmpeg's name of the speakers, such as `5.1(side)`; null where the file does not tell. */
  channelLayout: string | null
  /** Bits per second, or null where the container does not tell. */
  bitRate: number | null
  /** What the container claims; decoding tells the truth. Null where it claims nothing. */
  durationSeconds: number | null
  /** Tags of the container and of the stream, keys in lower case. */
  tags: Record<string, string>
  /** Stream number of the audio that is taken (the first). */
  audioStream: number
  /** Stream number of the embedded cover, if there is one. */
  coverStream: number | null
}

const TIMEOUT_MS = 60_000
const MAX_STREAMS = 64
export const MAX_DURATION_SECONDS = 12 * 3600
const MAX_CHANNELS = 64

const numeric = z.coerce.number().positive().nullish().catch(null)
const tagsOf = z.record(z.string(), z.coerce.string()).catch({}).default({})
const report = z.object({
  format: z.object({ format_name: z.string(), duration: numeric, bit_rate: numeric, tags: tagsOf }),
  streams: z
    .array(
      z.object({
        index: z.number(),
        codec_type: z.string().catch('unknown'),
        codec_name: z.string().catch('unknown'),
        sample_rate: numeric,
        sample_fmt: z.string().catch('fltp'),
        channel_layout: z.string().nullish().catch(null),
        channels: numeric,
        bit_rate: numeric,
        duration: numeric,
        tags: tagsOf,
        disposition: z.object({ attached_pic: z.number().catch(0) }).catch({ attached_pic: 0 }),
      }),
    )
    .default([]),
})

/**
 * Reads what a file says of itself, with ffprobe.
 * @param file local path
 * @throws MediaError `not_audio`, `too_long`, `too_many_streams`
 */
export async function probe(tools: Tools, file: string, signal?: AbortSignal): Promise<Probe> {
  const args = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', ...hostileInput, '-i', `file:${file}`]
  const { stdout, stderr, exitCode } = await runTool(tools, 'ffprobe', args, { timeoutMs: TIMEOUT_MS, signal })
  const parsed = exitCode === 0 ? report.safeParse(jsonOf(stdout)) : undefined
  if (!parsed?.success) throw notAudio(stderr)
  const { format, streams } = parsed.data
  if (streams.length > MAX_STREAMS) {
    throw new MediaError('too_many_streams', `The file holds ${streams.length} streams; ${MAX_STREAMS} are the most.`)
  }
  const audio = streams.find((stream) => stream.codec_type === 'audio')
  if (!audio?.sample_rate || !audio.channels || audio.channels > MAX_CHANNELS) throw notAudio(stderr)
  const durationSeconds = audio.duration ?? format.duration ?? null
  if (durationSeconds !== null && durationSeconds > MAX_DURATION_SECONDS) throw tooLong()
  return {
    container: format.format_name,
    codec: audio.codec_name,
    sampleRate: audio.sample_rate,
    sampleFormat: audio.sample_fmt,
    channels: audio.channels,
    channelLayout: audio.channel_layout ?? null,
    bitRate: audio.bit_rate ?? format.bit_rate ?? null,
    durationSeconds,
    tags: lowerKeys({ ...audio.tags, ...format.tags }),
    audioStream: audio.index,
    coverStream: streams.find((stream) => stream.disposition.attached_pic === 1)?.index ?? null,
  }
}

/** Null for a report that was cut off: a hostile file can make it endless. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const notAudio = (detail: string) =>
  new MediaError(
    'not_audio',
    'This file is not audio that we can read. Upload a recording such as MP3, M4A, FLAC, WAV, OGG or OPUS.',
    detail,
  )

export const tooLong = () =>
  new MediaError('too_long', `The recording is longer than ${MAX_DURATION_SECONDS / 3600} hours.`)

const MAX_TAGS = 64
const MAX_TAG_CHARS = 1000

/** Tags are a stranger's: few, short, and without what Postgres cannot store. */
function lowerKeys(tags: Record<string, string>): Record<string, string> {
  const clean = (text: string) => text.replaceAll('\0', '').toWellFormed().slice(0, MAX_TAG_CHARS)
  return Object.fromEntries(
    Object.entries(tags)
      .slice(0, MAX_TAGS)
      .map(([key, value]) => [clean(key).toLowerCase(), clean(value)]),
  )
}
