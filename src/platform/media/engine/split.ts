import type { ToolProcess } from '../ffmpeg/spawn.ts'
import { adtsReader } from '../formats/adts.ts'
import { outletTo } from './outlet.ts'

/** Samples of an AAC frame, per channel. */
const FRAME_SAMPLES = 1024
/** Frames that an encoder makes before its part: its filters and rate control settle in them. They are dropped. */
const WARM_UP = 16
/** Frames of sound that an encoder gets after its part: it looks ahead for attacks. */
const AHEAD = 2
/** About 20 seconds. Shorter parts cost more warm-up, longer ones more memory. */
const MAX_PART_FRAMES = 960
const MAX_PART_BYTES = 4 << 20
/** Parts that wait for an encoder: the next one, while the decoder fills those of the other encoders. */
const WAITING_PARTS = 1.5

/** Consecutive frames of one encoder. */
interface Part {
  /** Number of its first frame among those of the encoder. */
  from: number
  /** Its frames, then those that the encoder made beyond its end. */
  frames: Uint8Array[]
}

/**
 * Encodes one AAC file with several programs. They take turns: each encodes every nth part of the sound. All parts begin
 * at a multiple of a frame and overlap, so frame n of the file has the samples that it has when one program encodes it,
 * and neighboring frames cancel each other's aliasing at a joint as anywhere else.
 * @param encoders read WAV and write ADTS
 * @param muxer reads the joined frames as ADTS
 * @param header of the WAV
 * @param sampleBytes of one sample of all channels
 */
export function splitOver(
  encoders: readonly ToolProcess<'pipe', 'pipe'>[],
  muxer: ToolProcess<'pipe'>,
  header: Uint8Array,
  sampleBytes: number,
) {
  const frameBytes = FRAME_SAMPLES * sampleBytes
  const partFrames = Math.min(MAX_PART_FRAMES, Math.max(8 * WARM_UP, Math.floor(MAX_PART_BYTES / frameBytes)))
  const overlapBytes = (WARM_UP + AHEAD) * frameBytes
  const lanes = encoders.map((encoder) => createLane(encoder, WAITING_PARTS * partFrames * frameBytes))
  const file = outletTo(muxer)
  const parts: Part[] = []
  let written = 0
  let position = 0
  let partEnd = 0
  /** The last sound of the current part, which the next part begins with. */
  let overlap: Uint8Array[] = []

  function beginPart(): void {
    const lane = lanes[parts.length % lanes.length]
    if (!lane) throw new Error('no encoder')
    const isFirst = parts.length === 0
    if (lane.sentBytes === 0) lane.outlet.push(header)
    const part: Part = { from: lane.sentBytes / frameBytes + (isFirst ? 0 : WARM_UP), frames: [] }
    lane.parts.push(part)
    parts.push(part)
    for (const bytes of overlap) lane.send(bytes)
    overlap = []
    partEnd = (parts.length * partFrames + AHEAD) * frameBytes
  }

  /** Writes the parts that are complete. The last one is complete when its encoder has ended. */
  function write(hasEnded: boolean): void {
    for (let part = parts[written]; part; part = parts[written]) {
      const isLast = written === parts.length - 1
      if (isLast ? !hasEnded : part.frames.length < partFrames) return
      file.push(Buffer.concat(isLast ? part.frames : part.frames.slice(0, partFrames)))
      part.frames = []
      written += 1
    }
  }

  const reading = Promise.all(lanes.map((lane) => lane.read(() => write(false))))
  // May reject before it is awaited.
  reading.catch(() => {})

  return {
    /** Adds whole samples of the sound, without the header. */
    push(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length; ) {
        if (position === partEnd) beginPart()
        const length = Math.min(bytes.length - at, partEnd - position)
        const piece = bytes.subarray(at, at + length)
        lanes[(parts.length - 1) % lanes.length]?.send(piece)
        const shared = position + length - (partEnd - overlapBytes)
        if (shared > 0) overlap.push(piece.subarray(Math.max(0, length - shared)))
        position += length
        at += length
      }
    },
    /** Resolves when all encoders have room. */
    async room(): Promise<void> {
      for (const { outlet } of lanes) await outlet.room()
    },
    /** Resolves when the file is written. @throws Error when an encoder writes no ADTS */
    async end(): Promise<void> {
      await Promise.all(lanes.map(({ outlet }) => outlet.end()))
      await reading.finally(() => write(true)).finally(() => file.end())
    },
    /** Whether an encoder made fewer frames than its parts have. */
    isIncomplete: () => written < parts.length,
    /** Whether an encoder has got a part. */
    isUsed: (index: number) => index < parts.length,
  }
}

/** One encoder with its parts. */
function createLane(encoder: ToolProcess<'pipe', 'pipe'>, maxWaitingBytes: number) {
  const outlet = outletTo(encoder, maxWaitingBytes)
  const parts: Part[] = []
  let sentBytes = 0

  /** @throws Error when it writes no ADTS; it is killed then, so that it blocks no other */
  async function read(onPart: () => void): Promise<void> {
    try {
      await collect(onPart)
    } catch (error) {
      encoder.kill()
      throw error
    }
  }

  async function collect(onPart: () => void): Promise<void> {
    const adts = adtsReader()
    let count = 0
    let current = 0
    for await (const chunk of encoder.stdout) {
      for (const frame of adts.take(chunk)) {
        const next = parts[current + 1]
        if (next && count >= next.from) current += 1
        const part = parts[current]
        if (part && count >= part.from) part.frames.push(frame)
        count += 1
      }
      onPart()
    }
  }

  return {
    outlet,
    parts,
    read,
    /** Without the header. */
    get sentBytes() {
      return sentBytes
    },
    send(bytes: Uint8Array): void {
      outlet.push(bytes)
      sentBytes += bytes.length
    },
  }
}
