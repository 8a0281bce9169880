import { type EndedProcess, type SpawnOptions, spawnTool } from '../ffmpeg/spawn.ts'
import type { Tools } from '../ffmpeg/tools.ts'
import { wavReader } from '../formats/wav.ts'
import { createMeter } from '../meter/meter.ts'
import type { Command, EngineOrder, Report, Split } from './order.ts'
import { outletTo } from './outlet.ts'
import { splitOver } from './split.ts'

const REPORT_EVERY_MS = 250

/**
 * Decodes once, sends the sound to every encoder and measures it on the way. A failed encoder does not affect the
 * others.
 * @param onSeconds called periodically with the number of decoded seconds
 */
export async function carryOut(order: EngineOrder, onSeconds: (seconds: number) => void): Promise<Report> {
  const { tools, timeoutMs, folder: cwd } = order
  const shared = { timeoutMs, cwd, isInOurGroup: true }
  const { args, maxFileBytes } = order.decoder
  const decoder = spawnTool(tools, 'ffmpeg', args, { ...shared, maxFileBytes, stdout: 'pipe' })
  const encoders = order.encoders.map((command) => startEncoder(tools, shared, command))
  const outlets = encoders.map((encoder) => outletTo(encoder))
  const splits = order.splits.map((split) => startSplit(tools, shared, split))
  const listener = createListener(order.isMetered)
  let isTooLong = false
  let reportedAt = performance.now()
  for await (const chunk of decoder.stdout) {
    for (const outlet of outlets) outlet.push(chunk)
    const sound = listener.push(chunk)
    if (listener.seconds() > order.maxSeconds) {
      isTooLong = true
      break
    }
    if (sound) for (const split of splits) split.push(sound)
    if (performance.now() - reportedAt >= REPORT_EVERY_MS) {
      reportedAt = performance.now()
      onSeconds(listener.seconds())
    }
    for (const queue of [...outlets, ...splits]) await queue.room()
  }
  onSeconds(listener.seconds())
  if (isTooLong) for (const program of [decoder, ...encoders, ...splits]) program.kill()
  await Promise.all([...outlets, ...splits].map((queue) => queue.end()))
  return {
    decoder: await decoder.ended,
    encoders: await Promise.all(encoders.map(({ ended }) => ended)),
    splits: await Promise.all(splits.map(({ ended }) => ended())),
    durationSeconds: listener.seconds(),
    isTooLong,
    ...(listener.measured() ?? { analysis: null, quality: null }),
  }
}

/** Whole samples of a WAV stream. */
interface Sound {
  /** Of the stream. */
  header: Uint8Array
  bytes: Uint8Array
  /** Bytes of one sample of all channels. */
  sampleBytes: number
}

type Shared = Pick<SpawnOptions<'pipe', 'pipe'>, 'timeoutMs' | 'cwd' | 'isInOurGroup'>

const startEncoder = (tools: Tools, shared: Shared, { args, maxFileBytes }: Command) =>
  spawnTool(tools, 'ffmpeg', args, { ...shared, maxFileBytes, stdin: 'pipe' })

/** Starts the programs of a split file. The first sound names its format. */
function startSplit(tools: Tools, shared: Shared, { programs, encoder, muxer: command }: Split) {
  const encoders = Array.from({ length: programs }, () =>
    spawnTool(tools, 'ffmpeg', encoder, { ...shared, stdin: 'pipe', stdout: 'pipe' }),
  )
  const muxer = startEncoder(tools, shared, command)
  let split: ReturnType<typeof splitOver> | null = null
  let error: string | null = null
  return {
    push({ header, bytes, sampleBytes }: Sound): void {
      split ??= splitOver(encoders, muxer, header, sampleBytes)
      split.push(bytes)
    },
    room: async () => split?.room(),
    kill(): void {
      for (const program of [...encoders, muxer]) program.kill()
    },
    async end(): Promise<void> {
      if (!split) await Promise.all([...encoders, muxer].map((one) => outletTo(one).end()))
      await split?.end().catch((reason) => {
        error = String(reason)
      })
    },
    async ended(): Promise<EndedProcess> {
      const muxed = await muxer.ended
      const ended = await Promise.all(encoders.map((one) => one.ended))
      // A program for which the recording is too short gets no sound and fails.
      const failed = ended.find(({ exitCode }, i) => exitCode !== 0 && split?.isUsed(i))
      if (error !== null) return { ...muxed, exitCode: 1, signal: null, stderr: error }
      if (failed) return failed
      return split?.isIncomplete() ? { ...muxed, exitCode: 1, stderr: 'an encoder made too few frames' } : muxed
    },
  }
}

/** Counts the decoded frames, and measures them on request. */
function createListener(isMetered: boolean) {
  const wav = wavReader()
  let meter: ReturnType<typeof createMeter> | null = null
  let frames = 0
  return {
    /** Returns the sound in the chunk. Null for a chunk without any. */
    push(chunk: Uint8Array): Sound | null {
      const samples = wav.take(chunk)
      const { format, header } = wav
      if (!samples || !format || !header) return null
      frames += samples.length / format.channels
      if (isMetered) meter ??= createMeter(format)
      meter?.push(samples)
      const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT } = samples
      const bytes = new Uint8Array(buffer, byteOffset, byteLength)
      return { header, bytes, sampleBytes: format.channels * BYTES_PER_ELEMENT }
    },
    seconds: () => (wav.format ? frames / wav.format.sampleRate : 0),
    measured: () => meter?.end() ?? null,
  }
}
