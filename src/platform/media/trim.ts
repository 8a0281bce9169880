import type { SoundAnalysis } from './meter/sound.ts'

/** A part of a recording. */
export interface Span {
  startSeconds: number
  durationSeconds: number
}

/** Silence that remains before the first and after the last sound. Sounds begin suddenly and fade away slowly. */
const [SECONDS_BEFORE, SECONDS_AFTER] = [0.05, 0.5]
/** Analyses are rounded to this. */
const RESOLUTION = 0.000_001

/**
 * Returns the part of a recording from its first to its last sound, with some silence around it.
 * @param durationSeconds length of the recording
 * @returns null for a recording in which no sample reaches -60 dBFS
 */
export function spanOfSound(
  { leading_silence_seconds: leading, trailing_silence_seconds: trailing }: SoundAnalysis,
  durationSeconds: number,
): Span | null {
  if (durationSeconds - leading < RESOLUTION) return null
  const startSeconds = Math.max(0, leading - SECONDS_BEFORE)
  const endSeconds = Math.min(durationSeconds, durationSeconds - trailing + SECONDS_AFTER)
  return { startSeconds, durationSeconds: endSeconds - startSeconds }
}

/** First sample of a span, and the one after its last. @param sampleRate in Hz */
export function toSampleSpan(
  { startSeconds, durationSeconds }: Span,
  sampleRate: number,
): { start: number; end: number } {
  const sampleAt = (second: number) => Math.round(second * sampleRate)
  return { start: sampleAt(startSeconds), end: sampleAt(startSeconds + durationSeconds) }
}

/** Filters that cut a span out of a sound, to the sample. @param sampleRate of the sound, in Hz */
export function cutFilters(span: Span, sampleRate: number): string[] {
  const { start, end } = toSampleSpan(span, sampleRate)
  return [`atrim=start_sample=${start}:end_sample=${end}`, 'asetpts=PTS-STARTPTS']
}
