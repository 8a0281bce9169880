/** The lowest and the highest sample of each pixel of a waveform, channels averaged, as BBC audiowaveform defines them. */
export interface Peaks {
  /** Hz of the sound that they were taken from. */
  sampleRate: number
  samplesPerPixel: number
  /** Number of pairs; the last may stand for fewer samples. */
  length: number
  /** Lowest, highest, lowest, highest and so on, 16 bits. */
  data: Int16Array
}

/** Beyond every sum of samples. */
const NONE = 0x7fffffff
const INITIAL_PAIRS = 1 << 15

/**
 * Takes sound as it comes, in chunks of any length.
 * @param channels interleaved in what is pushed
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
    // Averages are in the order of the sums, so that only these two have to be divided; towards zero, as integers are.
    data[used++] = Math.trunc((range[0] ?? 0) / channels)
    data[used++] = Math.trunc((range[1] ?? 0) / channels)
    range[0] = NONE
    range[1] = -NONE
    count = 0
  }

  return {
    /** @param samples whole frames, interleaved; free to be reused afterwards */
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
    /** All pairs, when the sound has ended. */
    end(): Pick<Peaks, 'length' | 'data'> {
      if (count > 0) close()
      return { length: used / 2, data: data.subarray(0, used) }
    },
  }
}

/** Widens a range by the sums over all channels of the frames from `start` up to and without `end`. */
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

/** The same for two channels, in half the time: nearly all that is delivered has two. */
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
