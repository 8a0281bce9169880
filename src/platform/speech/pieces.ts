import { SPEECH_RATE, type SpeechSamples } from '../media/speech-sound.ts'

/** Length of the windows whose level is measured, in seconds. */
const WINDOW_SECONDS = 0.05
const WINDOW = SPEECH_RATE * WINDOW_SECONDS
/** A pause between sentences. Between words they are shorter. */
const MIN_PAUSE_SECONDS = 0.3
/** Level of a pause below that of the loud parts of the piece: 26 dB. */
const PAUSE_SHARE = 0.05
/** Level below which nothing is said: -66 dBFS. */
const SILENT_LEVEL = 16
/** Sound on both sides of a cut that is not in a pause, and at most of one that is. */
const [OVERLAP_SECONDS, MAX_PAUSE_OVERLAP_SECONDS] = [2, 1]
/** Part of a piece, at its end, that is searched for a pause. */
const SEARCHED_SHARE = 0.4

/** A part of a recording that is transcribed with one request. In seconds from the start of the piece. */
export interface SpeechPiece {
  /** Words before it belong to this piece, words after it to the next. */
  cut: number
  /** Sound on both sides of the cut that both pieces have. 0 at the end of the recording. */
  overlap: number
  /** Whether no window has a level that speech has. */
  isSilent: boolean
}

/** Whether a cut with this overlap is not in a pause, so that both pieces may have the same words. */
export const isCutInSpeech = (overlap: number) => overlap > MAX_PAUSE_OVERLAP_SECONDS

/**
 * Chooses the end of a piece: the middle of the longest pause in the last two fifths, so that no word is cut and both pieces
 * have the silence. Without a pause, its quietest place, with two seconds that both have.
 * @param samples from the start of the piece: at most `maxSeconds`, and less only at the end of the recording
 */
export function choosePiece(samples: SpeechSamples, maxSeconds: number): SpeechPiece {
  const levels = measureWindows(samples)
  const isSilent = levels.every((level) => level < SILENT_LEVEL)
  const seconds = samples.length / SPEECH_RATE
  if (samples.length < Math.floor(maxSeconds * SPEECH_RATE)) return { cut: seconds, overlap: 0, isSilent }
  const threshold = Math.max(SILENT_LEVEL, PAUSE_SHARE * loudLevel(levels))
  const first = Math.ceil(((1 - SEARCHED_SHARE) * maxSeconds) / WINDOW_SECONDS)
  // The overlap has to fit in the piece.
  const last = levels.length - Math.ceil(OVERLAP_SECONDS / WINDOW_SECONDS)
  const pause = longestPause(levels.slice(first, last), threshold)
  if (pause && pause.length * WINDOW_SECONDS >= MIN_PAUSE_SECONDS) {
    const length = pause.length * WINDOW_SECONDS
    const cut = (first + pause.at) * WINDOW_SECONDS + length / 2
    return { cut, overlap: Math.min(length / 2, MAX_PAUSE_OVERLAP_SECONDS), isSilent }
  }
  const quietest = levels.reduce(
    (best, level, at) => (isWithin(at, first, last) && level < (levels[best] ?? 0) ? at : best),
    first,
  )
  return { cut: (quietest + 0.5) * WINDOW_SECONDS, overlap: OVERLAP_SECONDS, isSilent }
}

const isWithin = (at: number, first: number, last: number) => at >= first && at < last

/** Root mean square of each window, in units of a 16-bit sample. */
function measureWindows(samples: SpeechSamples): number[] {
  const levels: number[] = []
  for (let start = 0; start < samples.length; start += WINDOW) {
    const end = Math.min(start + WINDOW, samples.length)
    let sum = 0
    for (let at = start; at < end; at++) sum += (samples[at] ?? 0) ** 2
    levels.push(Math.sqrt(sum / (end - start)))
  }
  return levels
}

/** The level that a tenth of the windows exceed. */
const loudLevel = (levels: readonly number[]) =>
  levels.toSorted((one, other) => one - other)[Math.floor(0.9 * levels.length)] ?? 0

function longestPause(levels: readonly number[], threshold: number): { at: number; length: number } | null {
  let longest: { at: number; length: number } | null = null
  let length = 0
  for (const [place, level] of levels.entries()) {
    length = level <= threshold ? length + 1 : 0
    if (length > (longest?.length ?? 0)) longest = { at: place - length + 1, length }
  }
  return longest
}
