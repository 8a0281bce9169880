import { spawnTool } from '../ffmpeg/spawn.ts'
import { wavReader } from '../formats/wav.ts'
import { createMeter } from '../meter/meter.ts'
import type { Order, Report } from './order.ts'
import { outletTo } from './outlet.ts'

const REPORT_EVERY_MS = 250

/**
 * Decodes once, sends the sound to every encoder and measures it on the way. A failed encoder does not affect the
 * others.
 * @param onSeconds called periodically with the number of decoded seconds
 */
export async function carryOut(order: Order, onSeconds: (seconds: number) => void): Promise<Report> {
  const { tools, timeoutMs, folder: cwd } = order
  const shared = { timeoutMs, cwd, isInOurGroup: true }
  const decoder = spawnTool(tools, 'ffmpeg', order.decoder, { ...shared, stdout: 'pipe' })
  const encoders = order.encoders.map((args) => spawnTool(tools, 'ffmpeg', args, { ...shared, stdin: 'pipe' }))
  const outlets = encoders.map(outletTo)
  const listener = createListener(order.isMetered)
  let reportedAt = performance.now()
  for await (const chunk of decoder.stdout) {
    for (const outlet of outlets) outlet.push(chunk)
    listener.push(chunk)
    if (performance.now() - reportedAt >= REPORT_EVERY_MS) {
      reportedAt = performance.now()
      onSeconds(listener.seconds())
    }
    for (const outlet of outlets) await outlet.room()
  }
  onSeconds(listener.seconds())
  await Promise.all(outlets.map((outlet) => outlet.end()))
  return {
    decoder: await decoder.ended,
    encoders: await Promise.all(encoders.map(({ ended }) => ended)),
    durationSeconds: listener.seconds(),
    analysis: listener.analysis(),
  }
}

/** Counts the decoded frames, and measures them on request. */
function createListener(isMetered: boolean) {
  const wav = wavReader()
  let meter: ReturnType<typeof createMeter> | null = null
  let frames = 0
  return {
    push(chunk: Uint8Array): void {
      const samples = wav.take(chunk)
      const { format } = wav
      if (!samples || !format) return
      frames += samples.length / format.channels
      if (isMetered) meter ??= createMeter(format)
      meter?.push(samples)
    },
    seconds: () => (wav.format ? frames / wav.format.sampleRate : 0),
    analysis: () => meter?.end() ?? null,
  }
}
