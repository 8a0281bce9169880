/**
 * The lowest and the highest sample of each pixel of a waveform, with channels averaged, as BBC audiowaveform defines
 * them.
 */
export interface Peaks {
  /** Sample rate of the sound, in Hz. */
  sampleRate: number
  samplesPerPixel: number
  /** Number of pairs. The last may cover fewer samples. */
  length: number
  /** Alternating lowest and highest, 16 bits. */
  data: Int16Array
}

/** Larger than every sum of samples. */
const NONE = 0x7fffffff
const INITIAL_PAIRS = 1 << 15

/**
 * Computes peaks from sound in chunks of any length.
 * @param channels interleaved in the pushed samples
 */
export function createPeaks({ channels, samplesPerPixel }: { channels: number; samplesPerPixel: number }) {
  const scan = channels === 2 ? scanPairs : scanFrames
  const range = Int32Array.of(NONE, -NONE)
  let data = new Int16Array(2 * INITIAL_PAIRS)
  let used = 0
  let count = 0

  function close(): void {
    if (used === data.length) {
      const larger = new Int16Array(2 * data.length)
      larger.set(data)
      data = larger
    }
    // Only the extreme sums have to be divided, because averages have the same order. Truncates as integers do.
    data[used++] = Math.trunc((range[0] ?? 0) / channels)
    data[used++] = Math.trunc((range[1] ?? 0) / channels)
    range[0] = NONE
    range[1] = -NONE
    count = 0
  }

  return {
    /** @param samples whole frames, interleaved; may be reused afterwards */
    push(samples: Int16Array): void {
      const frames = samples.length / channels
      for (let at = 0; at < frames; ) {
        const end = Math.min(frames, at + samplesPerPixel - count)
        scan(samples, at, end, range, channels)
        count += end - at
        at = end
        if (count === samplesPerPixel) close()
      }
    },
    /** Returns all pairs after the end of the sound. */
    end(): Pick<Peaks, 'length' | 'data'> {
      if (count > 0) close()
      return { length: used / 2, data: data.subarray(0, used) }
    },
  }
}

/** Extends a range by the sums over all channels of the frames from `start` to before `end`. */
function scanFrames(samples: Int16Array, start: number, end: number, range: Int32Array, channels: number): void {
  let [lowest, highest] = [range[0] ?? NONE, range[1] ?? -NONE]
  for (let at = start * channels; at < end * channels; ) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += samples[at++] ?? 0
    if (sum < lowest) lowest = sum
    if (sum > highest) highest = sum
  }
  range[0] = lowest
  range[1] = highest
}

/** The same for two channels in half the time. Nearly all delivered sound is stereo. */
function scanPairs(samples: Int16Array, start: number, end: number, range: Int32Array): void {
  let [lowest, highest] = [range[0] ?? NONE, range[1] ?? -NONE]
  for (let at = 2 * start; at < 2 * end; at += 2) {
    const sum = (samples[at] ?? 0) + (samples[at + 1] ?? 0)
    if (sum < lowest) lowest = sum
    if (sum > highest) highest = sum
  }
  range[0] = lowest
  range[1] = highest
}
