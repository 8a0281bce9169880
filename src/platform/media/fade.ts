/** Lengths of the fades at the ends of a sound, in seconds. */
export interface Fades {
  inSeconds: number
  outSeconds: number
}

/**
 * Filters that fade a sound in and out, linearly. Its length stays the same. Fades that are longer than the sound together
 * are shortened in proportion.
 * @param count length of the sound in samples
 * @param sampleRate of the sound, in Hz
 */
export function fadeFilters({ inSeconds, outSeconds }: Fades, count: number, sampleRate: number): string[] {
  const shrunk = Math.min(1, count / ((inSeconds + outSeconds) * sampleRate))
  const countSamples = (seconds: number) => (seconds > 0 ? Math.floor(seconds * sampleRate * shrunk) : 0)
  const [first, last] = [countSamples(inSeconds), countSamples(outSeconds)]
  const fades = [
    ...(first > 0 ? [`afade=t=in:start_sample=0:nb_samples=${first}:curve=tri`] : []),
    ...(last > 0 ? [`afade=t=out:start_sample=${count - last}:nb_samples=${last}:curve=tri`] : []),
  ]
  // Integers are truncated.
  return fades.length > 0 ? ['aformat=sample_fmts=fltp', ...fades] : []
}
