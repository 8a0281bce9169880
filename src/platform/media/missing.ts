import { containedShare, lacksEndOfStream } from './contained.ts'
import { readEnding } from './ending.ts'
import { readMp3Count } from './formats/mp3-count.ts'

/** The sound that a file announces, to be compared with the decoded one. */
export interface Announcement {
  /** Length of the sound. Null for a file that does not announce it. */
  announcedSeconds: number | null
  /** Difference that the padding of an encoder explains. Less than a sample for containers that count samples. */
  paddingSeconds: number
  /** Whether the length follows from times. Recordings with pauses decode to less. */
  isTimed: boolean
  /** Share of the declared sound that the file contains, by the size in its header. 0 to 1. */
  containedShare: number
  /** Whether the file has fewer bytes than its parts announce. */
  isCut: boolean
  /** Whether the mark of the end is missing, or the parts of the file do not follow each other to its end. */
  lacksEnd: boolean
}

/** Properties of a file, as ffprobe reports them. */
interface Described {
  container: string
  codec: string
  sampleRate: number
  /** Of the stream, else of the file. */
  durationSeconds: number | null
  /** Whether the duration was estimated from the bit rate. */
  isEstimated: boolean
  /** Whether there are other streams, which may be longer. */
  isFilm: boolean
  /** Time of the first sound. 0 for times before that of the file. */
  startSeconds: number
  /** Of the stream, keys in lower case. */
  streamTags: Record<string, string>
}

/** Containers that count the samples of their sound. */
const countingContainers = /^(flac|tta|wv)$/
/** Containers whose duration includes what an encoder has added: frames, and its delay. */
const paddedContainers = /^(mp3|mov,|ape|aiff|caf|au|wav|w64)/
/** Containers whose parts have times. */
const timedContainers = /^(matroska|ogg)/
/** Codecs whose samples MP4 counts. */
const losslessCodecs = /^(alac|flac|pcm_)/

/** Delay and padding of AAC or MP3: up to four frames of 1024 samples. */
const PADDING_SAMPLES = 4096
/** CAF counts whole packets of ALAC. */
const ALAC_PACKET_SAMPLES = 4096
/** A frame of Opus, and the delay that it announces. */
const TIMED_PADDING_SECONDS = 0.15
/** Sizes of a header say more than a duration that ffprobe derives from them. */
const LENIENT_SECONDS = 0.5

/** Reads what a file announces. @param file local path */
export async function readAnnouncement(file: string, described: Described): Promise<Announcement> {
  const { container, durationSeconds, isEstimated } = described
  const [share, ending, isOpen] = [await containedShare(file), await readEnding(file), await lacksEndOfStream(file)]
  const mp3 = container === 'mp3' ? await readMp3Count(file) : null
  const isTimed = timedContainers.test(container)
  const counts = countingContainers.test(container) || paddedContainers.test(container)
  const announcedSeconds = isTimed ? timedSeconds(described) : counts && !isEstimated ? durationSeconds : null
  return {
    announcedSeconds: mp3 ? mp3.samples / mp3.sampleRate : announcedSeconds,
    paddingSeconds: mp3 ? halfSample(described) : paddingSeconds(described),
    isTimed,
    containedShare: share,
    isCut: share < 1 || ending === 'cut' || (mp3 !== null && mp3.end > Bun.file(file).size),
    lacksEnd: isOpen || ending === 'open',
  }
}

const halfSample = ({ sampleRate }: Described) => 0.5 / sampleRate

function paddingSeconds(described: Described): number {
  const { container, codec, sampleRate } = described
  if (countingContainers.test(container)) return halfSample(described)
  if (timedContainers.test(container)) return TIMED_PADDING_SECONDS
  if (container.startsWith('mov,') && losslessCodecs.test(codec)) return halfSample(described)
  if (container === 'caf' && codec === 'alac') return ALAC_PACKET_SAMPLES / sampleRate - halfSample(described)
  return /^(mp3|mov,|ape)/.test(container) ? PADDING_SAMPLES / sampleRate : LENIENT_SECONDS
}

/**
 * The length that a stream has by a tag of its own (ffmpeg, mkvmerge), else that of a file without other streams. Those of
 * Matroska are the time at the end.
 */
function timedSeconds({ container, startSeconds, ...described }: Described): number | null {
  const endSeconds = timedEnd(described)
  return endSeconds !== null && container.startsWith('matroska') ? endSeconds - startSeconds : endSeconds
}

function timedEnd({
  streamTags,
  durationSeconds,
  isFilm,
}: Pick<Described, 'streamTags' | 'durationSeconds' | 'isFilm'>): number | null {
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d\.\d+)$/.exec(streamTags.duration ?? '') ?? []
  if (seconds !== undefined) return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return isFilm ? null : durationSeconds
}

/** Sound that a file announces and does not contain. */
export interface Missing {
  announcedSeconds: number
  /** 0 when only a part of a frame is missing. */
  seconds: number
}

/** Compares what a file announces with what was decoded. Null for a complete recording. */
export function findMissing(announcement: Announcement, decodedSeconds: number): Missing | null {
  const { announcedSeconds, paddingSeconds, containedShare: share, isCut } = announcement
  const byShare = share > 0 && share < 1 ? decodedSeconds / share : 0
  const isCounted = announcedSeconds !== null && announcedSeconds - decodedSeconds > paddingSeconds
  const announced = Math.max(byShare, isCounted ? announcedSeconds : 0)
  if (announced > decodedSeconds) return { announcedSeconds: announced, seconds: announced - decodedSeconds }
  return isCut ? { announcedSeconds: decodedSeconds, seconds: 0 } : null
}

/** Chooses the reason for a recording without a sample that can be decoded, where the decoder has no message. */
export function chooseSilentReason({ announcedSeconds, paddingSeconds, containedShare, isCut }: Announcement) {
  if (isCut || (containedShare > 0 && containedShare < 1)) return 'truncated'
  return (announcedSeconds ?? 0) > paddingSeconds ? 'corrupted' : 'no_sound'
}

/** A recording that lacks more than this is refused: in seconds, and as a share of its length. */
const [REFUSED_SECONDS, REFUSED_SHARE] = [0.5, 0.5]

/** Whether so much is missing that a recording is not processed. Recordings with pauses are. */
export function isRefused({ isTimed, isCut }: Announcement, { announcedSeconds, seconds }: Missing): boolean {
  if (isTimed && !isCut) return false
  return seconds > REFUSED_SECONDS || seconds > REFUSED_SHARE * announcedSeconds
}

/** States both lengths, as exactly as their difference requires. */
export function describeMissing({ announcedSeconds, seconds }: Missing): string {
  const digits = seconds < 0.1 ? 4 : 1
  const [announces, contains] = [announcedSeconds, announcedSeconds - seconds].map((value) => value.toFixed(digits))
  return `It announces ${announces} seconds and contains ${contains}.`
}
