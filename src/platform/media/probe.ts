import { withoutDirections } from '../storable-text.ts'
import type { Chapter } from './chapter.ts'
import { isReadable, MAX_STREAMS } from './ffmpeg/hostile-input.ts'
import { type MediaReason, mediaError } from './ffmpeg/reasons.ts'
import { maxSecondsFor } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { isProtected } from './formats/encryption.ts'
import { type Announcement, readAnnouncement } from './missing.ts'
import { isGuess, type ProbedStream, probeReport, refuseUnreadForm } from './probe-report.ts'

/** Properties of a recording before it is decoded. */
export interface Probe extends Announcement {
  /** ffprobe's name of the container, e.g. `mov,mp4,m4a,3gp,3g2,mj2`. */
  container: string
  codec: string
  sampleRate: number
  /** ffmpeg's name of the decoder's sample format, such as `s16p`. */
  sampleFormat: string
  /** Bits per stored sample. Null for codecs without a fixed depth. */
  bitDepth: number | null
  channels: number
  /** ffmpeg's name of the channel layout, such as `5.1(side)`. Null when the file does not declare it. */
  channelLayout: string | null
  /** Bits per second. Null when the container does not declare it. */
  bitRate: number | null
  /** Declared duration; decoding gives the true one. Null when not declared. */
  durationSeconds: number | null
  /** Tags of the container and of the stream, keys in lower case. */
  tags: Record<string, string>
  /** Chapters, in the order of the file. Not validated. */
  chapters: Chapter[]
  /** Stream index of the processed audio: the one that players select. */
  audioStream: number
  /** Stream index of the embedded cover, the front cover if there are several. Null without one. */
  coverStream: number | null
  /** Whether the beginning yielded sound. A file that begins with junk may contain sound later. */
  isHeard: boolean
}

const MAX_CHANNELS = 64
/** Minimum: below telephone speech of the 1950s. Maximum: above the highest rate of DSD, in bytes. */
const [MIN_SAMPLE_RATE, MAX_SAMPLE_RATE] = [1000, 3_072_000]
/** Random bytes occasionally contain what looks like a frame of sound. */
const CONVINCING_FRAMES = 10

/**
 * Reads a file's header and decodes its beginning, with ffprobe.
 * @param file local path
 * @throws MediaError for a file that cannot be processed, with a reason of reasons.ts
 */
export async function probe(tools: Tools, file: string, signal?: AbortSignal): Promise<Probe> {
  const { format, streams, frames, chapters, messages } = await probeReport(tools, file, signal)
  const decodedStreams = new Set(
    frames.filter(({ nb_samples }) => nb_samples > 0).map(({ stream_index }) => stream_index),
  )
  const audio = selectAudio(streams, decodedStreams)
  // The container was recognized: a film without sound, or tags with a picture.
  if (!audio) {
    await refuseUnreadForm(file, messages)
    throw mediaError(streams.length > 0 && !isGuess(messages) ? 'no_sound' : 'not_audio', messages)
  }
  const durationSeconds = audio.duration ?? format.duration ?? null
  const isEncrypted = 'enc_key_id' in audio.tags || (await isProtected(file))
  const reason = isEncrypted ? 'encrypted' : rejection(audio, streams.length, durationSeconds, maxSecondsFor(tools))
  if (reason) throw mediaError(reason, messages, reason === 'unsupported_codec' ? codecNote(audio) : '')
  const heardFrames = frames.filter(
    ({ stream_index, nb_samples }) => stream_index === audio.index && nb_samples > 0,
  ).length
  if (isGuess(messages) && heardFrames < CONVINCING_FRAMES) {
    await refuseUnreadForm(file, messages)
    throw mediaError('not_audio', messages)
  }
  const { sample_rate: sampleRate, channels } = audio
  if (!sampleRate || !channels) throw mediaError('corrupted', messages)
  return {
    container: format.format_name,
    codec: audio.codec_name,
    sampleRate,
    sampleFormat: audio.sample_fmt,
    bitDepth: audio.bits_per_raw_sample ?? audio.bits_per_sample ?? null,
    channels,
    channelLayout: audio.channel_layout ?? null,
    bitRate: audio.bit_rate ?? format.bit_rate ?? null,
    durationSeconds,
    ...(await readAnnouncement(file, {
      container: format.format_name,
      codec: audio.codec_name,
      sampleRate,
      durationSeconds,
      isEstimated: /Estimating duration from bitrate/.test(messages),
      isFilm: streams.length > 1,
      startSeconds: audio.start_time ?? 0,
      streamTags: lowerKeys(audio.tags),
    })),
    tags: lowerKeys({ ...audio.tags, ...format.tags }),
    chapters: chapters.map(({ start_time: startSeconds, end_time, tags }) => ({
      title: lowerKeys(tags).title ?? '',
      startSeconds,
      endSeconds: end_time ?? null,
      url: null,
    })),
    audioStream: audio.index,
    coverStream: findCover(streams),
    isHeard: decodedStreams.has(audio.index),
  }
}

/** Selects the stream as players do: the default stream, else the first, preferring streams that can be decoded. */
function selectAudio(streams: readonly ProbedStream[], decodedStreams: ReadonlySet<number>): ProbedStream | undefined {
  const audio = streams.filter(({ codec_type }) => codec_type === 'audio')
  const decoded = audio.filter(({ index, codec_name }) => decodedStreams.has(index) && isReadable(codec_name))
  const candidates = decoded.length > 0 ? decoded : audio
  return candidates.find(({ disposition }) => disposition.default === 1) ?? candidates[0]
}

/** Returns why a stream cannot be processed, by its header. Null when it can. */
function rejection(
  audio: ProbedStream,
  streamCount: number,
  durationSeconds: number | null,
  maxSeconds: number,
): MediaReason | null {
  const { codec_name, sample_rate, channels } = audio
  if (streamCount > MAX_STREAMS) return 'too_many_streams'
  if (!isReadable(codec_name)) return 'unsupported_codec'
  if (channels && channels > MAX_CHANNELS) return 'too_many_channels'
  if (sample_rate && (sample_rate < MIN_SAMPLE_RATE || sample_rate > MAX_SAMPLE_RATE)) return 'unsupported_sample_rate'
  if (durationSeconds !== null && durationSeconds > maxSeconds) return 'too_long'
  return null
}

/** Names the codec: ffprobe's name, else the file's tag. Empty for an unprintable tag. */
function codecNote({ codec_name, codec_tag_string: tag }: ProbedStream): string {
  const name = /^(unknown|none)$/.test(codec_name) ? tag : codec_name
  return /[a-z0-9]{2}/i.test(name) ? `Its codec is ${name}.` : ''
}

/** Returns the embedded picture that is marked as the front cover, else the first. */
function findCover(streams: readonly ProbedStream[]): number | null {
  const pictures = streams.filter(({ disposition }) => disposition.attached_pic === 1)
  const front = pictures.find(({ tags }) => /^cover \(front\)$/i.test(lowerKeys(tags).comment ?? ''))
  return (front ?? pictures[0])?.index ?? null
}

const MAX_TAGS = 64
const MAX_TAG_CHARS = 1000

/** Untrusted tags: limits their number and length. */
function lowerKeys(tags: Record<string, string>): Record<string, string> {
  const clean = (text: string) => withoutDirections(text, MAX_TAG_CHARS)
  return Object.fromEntries(
    Object.entries(tags)
      .slice(0, MAX_TAGS)
      .map(([key, value]) => [clean(key).toLowerCase(), clean(value)]),
  )
}
