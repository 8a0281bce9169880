import { roundTo } from '../number.ts'

/** Loudness over time, for waveform players. */
export interface Levels {
  avg: number
  max: number
  min: number
  /** RMS of each span, linear, 1 = full scale, four decimals. */
  levels: number[]
  metric: 'rms'
  /** Sample rate of the measured signal, in Hz. */
  resample: number
  num_samples: number
}

/** Sample rate of the mono signal for levels, in Hz (contract, section 9). */
export const LEVELS_RATE = 8000
const BYTES_PER_SAMPLE = 4
export const LEVELS_BYTES_PER_SECOND = LEVELS_RATE * BYTES_PER_SAMPLE

/**
 * Output options for the source mixed to mono. Integer samples, because only these are mixed without exceeding full
 * scale.
 */
export const levelsArgs = ['-ac', '1', '-ar', String(LEVELS_RATE), '-c:a', 'pcm_s32le', '-f', 's32le'] as const
const FULL_SCALE = 2 ** 31

/**
 * Splits the signal into `count` equal spans and returns the RMS of each.
 * @param rawFile made with `levelsArgs`; streamed, because a long recording does not fit in memory
 * @see contract, section 9
 */
export async function measureLevels(rawFile: string, count: number): Promise<Levels> {
  const file = Bun.file(rawFile)
  const total = Math.floor(file.size / BYTES_PER_SAMPLE)
  const levels: number[] = []
  const findEnd = (span: number) => Math.floor(((span + 1) * total) / count)
  let position = 0
  let [sum, start, end] = [0, 0, findEnd(0)]
  const closeSpan = () => {
    const length = position - start
    levels.push(length === 0 ? 0 : roundTo(Math.sqrt(sum / length) / FULL_SCALE, 4))
    ;[sum, start, end] = [0, position, findEnd(levels.length)]
  }
  for await (const samples of readSamples(file.stream())) {
    for (let i = 0; i < samples.length; i++) {
      // Spans shorter than a sample are empty.
      while (position >= end && levels.length < count) closeSpan()
      const sample = samples[i] ?? 0
      sum += sample * sample
      position += 1
    }
  }
  while (levels.length < count) closeSpan()
  return {
    avg: roundTo(levels.reduce((all, level) => all + level, 0) / count, 4),
    max: Math.max(...levels),
    min: Math.min(...levels),
    levels,
    metric: 'rms',
    resample: LEVELS_RATE,
    num_samples: count,
  }
}

async function* readSamples(stream: ReadableStream<Uint8Array>): AsyncGenerator<Int32Array> {
  let rest = new Uint8Array(0)
  for await (const chunk of stream) {
    const bytes = new Uint8Array(rest.length + chunk.length)
    bytes.set(rest)
    bytes.set(chunk, rest.length)
    const whole = bytes.length - (bytes.length % BYTES_PER_SAMPLE)
    yield new Int32Array(bytes.buffer, 0, whole / BYTES_PER_SAMPLE)
    rest = bytes.slice(whole)
  }
}
