import { spawnTool } from '../ffmpeg/spawn.ts'
import { wavReader } from '../formats/wav.ts'
import { createMeter } from '../meter/meter.ts'
import type { Order, Report } from './order.ts'
import { outletTo } from './outlet.ts'

const SAY_EVERY_MS = 250

/**
 * Decodes once, hands the sound to every encoder and measures it on the way. An encoder that fails harms no other.
 * @param onSeconds is told now and then how much was decoded
 */
export async function carryOut(order: Order, onSeconds: (seconds: number) => void): Promise<Report> {
  const { tools, timeoutMs, folder: cwd } = order
  const shared = { timeoutMs, cwd, isInOurGroup: true }
  const decoder = spawnTool(tools, 'ffmpeg', order.decoder, { ...shared, stdout: 'pipe' })
  const encoders = order.encoders.map((args) => spawnTool(tools, 'ffmpeg', args, { ...shared, stdin: 'pipe' }))
  const outlets = encoders.map(outletTo)
  const listener = listen(order.isMetered)
  let said = performance.now()
  for await (const chunk of decoder.stdout) {
    for (const outlet of outlets) outlet.push(chunk)
    listener.take(chunk)
    if (performance.now() - said >= SAY_EVERY_MS) {
      said = performance.now()
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

/** Counts what goes by, and measures it where that is asked for. */
function listen(isMetered: boolean) {
  const wav = wavReader()
  let meter: ReturnType<typeof createMeter> | null = null
  let frames = 0
  return {
    take(chunk: Uint8Array): void {
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
