/**
 * The lowest and the highest sample of each pixel of a waveform, as BBC audiowaveform defines them: of the channels
 * averaged, or of each channel.
 */
export interface Peaks {
  /** Sample rate of the sound, in Hz. */
  sampleRate: number
  samplesPerPixel: number
  /** Number of waveforms: 1 for averaged channels. */
  channels: number
  /** Number of pixels. The last may cover fewer samples. */
  length: number
  /** Lowest and highest of each channel, pixel by pixel, 16 bits. Each block has whole pixels. */
  blocks: readonly Int16Array[]
}

/** Larger than every sum of samples. */
const NONE = 0x7fffffff
/** Values that are kept, in 64 MiB: those of 12 hours of stereo with 256 samples per pixel. */
const MAX_VALUES = 1 << 25
/** Pixels of a block. Blocks are never copied, so that hours of sound take no more memory than their peaks. */
const BLOCK_PIXELS = 1 << 15

/**
 * Computes peaks from sound in chunks of any length. Pixels of a sound with too many for memory are joined in pairs.
 * @param samplesPerPixel initially; doubled when pixels are joined
 * @param maxValues at least two blocks of pixels
 * @param channels interleaved in the pushed samples
 * @param isSplit whether each channel has a waveform of its own
 */
export function createPeaks(options: {
  channels: number
  samplesPerPixel: number
  isSplit: boolean
  maxValues?: number
}) {
  const { channels, isSplit, maxValues = MAX_VALUES } = options
  let { samplesPerPixel } = options
  const waveforms = isSplit ? channels : 1
  const summed = channels / waveforms
  const scan = isSplit ? scanChannels : channels === 2 ? scanPairs : scanFrames
  /** Lowest and highest sum of each waveform in the pixel. */
  const range = Int32Array.from({ length: 2 * waveforms }, (_, at) => (at % 2 === 0 ? NONE : -NONE))
  let full: Int16Array[] = []
  let block = new Int16Array(BLOCK_PIXELS * range.length)
  let used = 0
  let count = 0

  function close(): void {
    // Only the extreme sums have to be divided, because averages have the same order. Truncates as integers do.
    for (let at = 0; at < range.length; at++) {
      block[used++] = Math.trunc((range[at] ?? 0) / summed)
      range[at] = at % 2 === 0 ? NONE : -NONE
    }
    count = 0
    if (used === block.length) startBlock()
  }

  function startBlock(): void {
    full.push(block)
    if (full.length % 2 === 0 && (full.length + 2) * block.length > maxValues) {
      full = joinPixels(full, range.length)
      samplesPerPixel *= 2
    }
    block = new Int16Array(block.length)
    used = 0
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
    /** Returns all pixels after the end of the sound. */
    end(): Pick<Peaks, 'samplesPerPixel' | 'channels' | 'length' | 'blocks'> {
      if (count > 0) close()
      const length = full.length * BLOCK_PIXELS + used / range.length
      return {
        samplesPerPixel,
        channels: waveforms,
        length,
        blocks: used > 0 ? [...full, block.subarray(0, used)] : full,
      }
    },
  }
}

/** Joins each pixel of full blocks with the next one. @param values of a pixel */
function joinPixels(blocks: readonly Int16Array[], values: number): Int16Array[] {
  const joined: Int16Array[] = []
  for (let at = 0; at + 1 < blocks.length; at += 2) {
    const block = new Int16Array(blocks[at]?.length ?? 0)
    for (const [half, source] of [blocks[at], blocks[at + 1]].entries()) {
      const start = (half * block.length) / 2
      for (let to = 0; source && to < source.length / 2; to++) {
        const from = 2 * to - (to % values)
        const [one, other] = [source[from] ?? 0, source[from + values] ?? 0]
        block[start + to] = to % 2 === 0 ? Math.min(one, other) : Math.max(one, other)
      }
    }
    joined.push(block)
  }
  return joined
}

/** Extends the range of each channel by the frames from `start` to before `end`. */
function scanChannels(samples: Int16Array, start: number, end: number, range: Int32Array, channels: number): void {
  for (let channel = 0; channel < channels; channel++) {
    let [lowest, highest] = [range[2 * channel] ?? NONE, range[2 * channel + 1] ?? -NONE]
    for (let at = start * channels + channel; at < end * channels; at += channels) {
      const sample = samples[at] ?? 0
      if (sample < lowest) lowest = sample
      if (sample > highest) highest = sample
    }
    range[2 * channel] = lowest
    range[2 * channel + 1] = highest
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
