import { containedShare, lacksEndOfStream } from './contained.ts'
import { isReadable, MAX_STREAMS } from './ffmpeg/hostile-input.ts'
import { mediaError, type Reason } from './ffmpeg/reasons.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { isProtected } from './formats/encryption.ts'
import { ask, isGuess, type Stream } from './probe-report.ts'

/** What is known of a recording before all of it is decoded. */
export interface Probe {
  /** ffprobe's name of the container, e.g. `mov,mp4,m4a,3gp,3g2,mj2`. */
  container: string
  codec: string
  sampleRate: number
  /** ffmpeg's name of the form in which the decoder gives samples, such as `s16p`. */
  sampleFormat: string
  /** Bits of a sample as they are stored; null for codecs that store none. */
  bitDepth: number | null
  channels: number
  /** ffmpeg's name of the speakers, such as `5.1(side)`; null where the file does not tell. */
  channelLayout: string | null
  /** Bits per second, or null where the container does not tell. */
  bitRate: number | null
  /** What the container claims; decoding tells the truth. Null where it claims nothing. */
  durationSeconds: number | null
  /** Seconds that the header counts, so that less sound is a loss; null where it counts none. */
  announcedSeconds: number | null
  /** The share of the announced sound that the file contains, 0 to 1, by the sizes in its header. */
  containedShare: number
  /** Whether the mark is missing that ends a recording in its container. */
  lacksEnd: boolean
  /** Tags of the container and of the stream, keys in lower case. */
  tags: Record<string, string>
  /** Stream number of the audio that is taken: the one that players begin with. */
  audioStream: number
  /** Stream number of the embedded cover, the front one of several; null where there is none. */
  coverStream: number | null
  /** Whether a look at the beginning found sound; what begins with rubbish may still hold some. */
  isHeard: boolean
}

export const MAX_DURATION_SECONDS = 12 * 3600
const MAX_CHANNELS = 64
/** Below speech over a telephone in the fifties; above the highest rate of DSD, in bytes of it. */
const [MIN_SAMPLE_RATE, MAX_SAMPLE_RATE] = [1000, 3_072_000]
/** Among random bytes there is now and then what looks like a frame of sound. */
const CONVINCING_FRAMES = 10

/**
 * Reads what a file says of itself and decodes its beginning, with ffprobe.
 * @param file local path
 * @throws MediaError for what cannot be processed, with a reason of reasons.ts
 */
export async function probe(tools: Tools, file: string, signal?: AbortSignal): Promise<Probe> {
  const { format, streams, frames, said } = await ask(tools, file, signal)
  const heard = new Set(frames.filter(({ nb_samples }) => nb_samples > 0).map(({ stream_index }) => stream_index))
  const audio = chosen(streams, heard)
  // A film without sound, or tags and a picture: what a container was recognized in.
  if (!audio) throw mediaError(streams.length > 0 && !isGuess(said) ? 'no_sound' : 'not_audio', said)
  const durationSeconds = audio.duration ?? format.duration ?? null
  const isEncrypted = 'enc_key_id' in audio.tags || (await isProtected(file))
  const refused = isEncrypted ? 'encrypted' : refusal(audio, streams.length, durationSeconds)
  if (refused) throw mediaError(refused, said, refused === 'unsupported_codec' ? nameOf(audio) : '')
  const heardFrames = frames.filter(
    ({ stream_index, nb_samples }) => stream_index === audio.index && nb_samples > 0,
  ).length
  if (isGuess(said) && heardFrames < CONVINCING_FRAMES) throw mediaError('not_audio', said)
  const { sample_rate: sampleRate, channels } = audio
  if (!sampleRate || !channels) throw mediaError('corrupted', said)
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
    announcedSeconds: countsSamples(format.format_name, said) ? durationSeconds : null,
    containedShare: await containedShare(file),
    lacksEnd: await lacksEndOfStream(file),
    tags: lowerKeys({ ...audio.tags, ...format.tags }),
    audioStream: audio.index,
    coverStream: coverOf(streams),
    isHeard: heard.has(audio.index),
  }
}

/** As players choose: the default stream, else the first; of those that can be decoded, if any can. */
function chosen(streams: readonly Stream[], heard: ReadonlySet<number>): Stream | undefined {
  const audio = streams.filter(({ codec_type }) => codec_type === 'audio')
  const decoded = audio.filter(({ index, codec_name }) => heard.has(index) && isReadable(codec_name))
  const candidates = decoded.length > 0 ? decoded : audio
  return candidates.find(({ disposition }) => disposition.default === 1) ?? candidates[0]
}

/** Why a stream cannot be processed, from what its header says; null where it can. */
function refusal(audio: Stream, streamCount: number, durationSeconds: number | null): Reason | null {
  const { codec_name, sample_rate, channels } = audio
  if (streamCount > MAX_STREAMS) return 'too_many_streams'
  if (!isReadable(codec_name)) return 'unsupported_codec'
  if (channels && channels > MAX_CHANNELS) return 'too_many_channels'
  if (sample_rate && (sample_rate < MIN_SAMPLE_RATE || sample_rate > MAX_SAMPLE_RATE)) return 'unsupported_sample_rate'
  if (durationSeconds !== null && durationSeconds > MAX_DURATION_SECONDS) return 'too_long'
  return null
}

/** ffprobe's name where it knows one, else what the file calls it. */
function nameOf({ codec_name, codec_tag_string: tag }: Stream): string {
  const name = /^(unknown|none)$/.test(codec_name) ? tag : codec_name
  return /[a-z0-9]{2}/i.test(name) ? `Its codec is ${name}.` : ''
}

/** MP3: in the frame count of a Xing, Info or VBRI header. */
const countingContainers = /^(flac|wav|w64|aiff|caf|au|tta|wv|ape|mp3|mov,)/

/** A duration that follows from the bit rate is not a count. */
function countsSamples(container: string, said: string): boolean {
  return countingContainers.test(container) && !/Estimating duration from bitrate/.test(said)
}

/** Of several embedded pictures the one that calls itself the front. */
function coverOf(streams: readonly Stream[]): number | null {
  const pictures = streams.filter(({ disposition }) => disposition.attached_pic === 1)
  const front = pictures.find(({ tags }) => /^cover \(front\)$/i.test(lowerKeys(tags).comment ?? ''))
  return (front ?? pictures[0])?.index ?? null
}

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
