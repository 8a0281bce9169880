/** In milliseconds. The release that changed the loudness range least (decision 0038). */
const [ATTACK, RELEASE] = [5, 50]
/** Peaks between the samples are limited at this rate, in Hz (ITU-R BS.1770-5, annex 2). */
const OVERSAMPLED_RATE = 176_400

/**
 * Filters that limit the true peak of a sound. Its length and timing stay the same.
 * @param sampleRate of the sound, in Hz
 * @param ceilingDbtp at least -24
 */
export function limiterFilters(sampleRate: number, ceilingDbtp: number): string[] {
  const factor = 2 ** Math.max(0, Math.ceil(Math.log2(OVERSAMPLED_RATE / sampleRate)))
  const rate = sampleRate * factor
  // The limiter looks ahead, and drops as many samples at the end. Its option that compensates for this is missing
  // before FFmpeg 5.1.
  const delay = Math.floor((rate * ATTACK) / 1000) - 1
  const limit = (10 ** (ceilingDbtp / 20)).toFixed(6)
  return [
    'aformat=sample_fmts=fltp',
    `aresample=${rate}`,
    `apad=pad_len=${delay}`,
    `alimiter=limit=${limit}:attack=${ATTACK}:release=${RELEASE}:level=disabled`,
    `atrim=start_sample=${delay}`,
    'asetpts=PTS-STARTPTS',
    `aresample=${sampleRate}`,
  ]
}
