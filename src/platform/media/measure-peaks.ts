import { filterArgs } from './encode.ts'
import { ffmpegFlags, pipedWav } from './ffmpeg/flags.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { notMade } from './ffmpeg/output.ts'
import { mediaError } from './ffmpeg/reasons.ts'
import { spawnTool } from './ffmpeg/spawn.ts'
import { isSpent, wallMsFor, withCpuLimit } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { wavReader } from './formats/wav.ts'
import { createPeaks, type Peaks } from './peaks.ts'

interface Input {
  /** Options of ffmpeg that end in `-i FILE`. */
  args: readonly string[]
  /** Specifier of the stream in the file. */
  stream: string
  filters: readonly string[]
  /** Length of the sound; a decoder returns the encoder's padding after it. Null is all that is decoded. */
  seconds: number | null
}

type Resolution = Pick<Parameters<typeof createPeaks>[0], 'samplesPerPixel' | 'isSplit'>

/**
 * Decodes a sound as a player does, without the encoder's delay, and returns its peaks. Nothing is stored.
 * @param cpuSeconds CPU time after which the decoder is ended
 * @throws MediaError `encoder_failed`, `timed_out`; AbortError of the given signal
 */
export async function measurePeaks(
  tools: Tools,
  input: Input,
  resolution: Resolution,
  { cpuSeconds, signal }: { cpuSeconds: number; signal?: AbortSignal },
): Promise<Peaks> {
  const options = { stdout: 'pipe', timeoutMs: wallMsFor(tools, cpuSeconds), signal } as const
  const child = spawnTool(withCpuLimit(tools, cpuSeconds), 'ffmpeg', decodeArgs(input), options)
  const [measured, ended] = await Promise.all([readPeaks(child.stdout, input.seconds, resolution), child.ended])
  signal?.throwIfAborted()
  checkHost([ended], cpuSeconds)
  if (ended.exitCode !== 0 && isSpent(ended, cpuSeconds)) throw mediaError('timed_out')
  if (ended.exitCode !== 0 || !measured) throw notMade(ended.stderr)
  return measured
}

const decodeArgs = ({ args, stream, filters }: Input) => [
  ...ffmpegFlags,
  ...args,
  ...['-map', stream, ...filterArgs(filters), '-c:a', 'pcm_s16le', '-map_metadata', '-1', '-fflags', '+bitexact'],
  ...pipedWav,
]

/** Returns null when the stream ends before a WAV header. */
async function readPeaks(
  stream: ReadableStream<Uint8Array>,
  seconds: number | null,
  { samplesPerPixel, isSplit }: Resolution,
): Promise<Peaks | null> {
  const reader = wavReader()
  let peaks: ReturnType<typeof createPeaks> | null = null
  let remainingSamples = 0
  for await (const chunk of stream) {
    const samples = reader.take(chunk)
    if (!reader.format) continue
    const { channels, sampleRate } = reader.format
    if (!peaks) {
      peaks = createPeaks({ channels, samplesPerPixel, isSplit })
      remainingSamples = seconds === null ? Number.POSITIVE_INFINITY : channels * framesIn(seconds, sampleRate)
    }
    if (!(samples instanceof Int16Array) || remainingSamples === 0) continue
    const part = samples.subarray(0, remainingSamples)
    peaks.push(part)
    remainingSamples -= part.length
  }
  if (!reader.format || !peaks) return null
  return { sampleRate: reader.format.sampleRate, ...peaks.end() }
}

/** Frames of a sound, at least one. A resampler rounds their number up. A thousandth more is an error of the product. */
const framesIn = (seconds: number, sampleRate: number) => Math.max(1, Math.ceil(seconds * sampleRate - 0.001))
