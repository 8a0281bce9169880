import { expect, test } from 'bun:test'
import { createMeter } from '../../../../src/platform/media/meter/meter.ts'
import { makeMedia } from '../../../support/audio.ts'
import { decoded, metered } from '../../../support/meter.ts'

test('the result does not depend on the chunk size', async () => {
  const source = 'anoisesrc=d=4:c=pink:a=0.9:r=44100:seed=2,volume=eval=frame:volume=0.2+9*abs(sin(3*t))'
  const file = await makeMedia(['-f', 'lavfi', '-i', source, '-ac', '2', '-c:a', 'pcm_s16le'], 'wav')
  const samples = await decoded(file, 's16')
  const format = { sampleRate: 44_100, channels: 2, channelMask: 3 }
  const whole = metered(samples, format, samples.length)
  expect(whole.clipped_samples).toBeGreaterThan(0)
  for (const frames of [1, 17, 1024, 4409, 16_384]) expect(metered(samples, format, frames)).toEqual(whole)
})

test('pushed samples may be overwritten afterwards', () => {
  const format = { sampleRate: 8000, channels: 1, channelMask: 4 }
  const tone = Float32Array.from({ length: 8000 * 2 }, (_, i) => 0.5 * Math.sin(i / 3))
  const buffer = new Float32Array(100)
  const meter = createMeter(format)
  for (let at = 0; at < tone.length; at += buffer.length) {
    buffer.set(tone.subarray(at, at + buffer.length))
    meter.push(buffer)
    buffer.fill(1)
  }
  expect(meter.end().analysis).toEqual(metered(tone, format))
})

test('memory for a long recording is bounded', () => {
  const meter = createMeter({ sampleRate: 1000, channels: 1, channelMask: 4 })
  const hour = new Int16Array(3600 * 1000).map((_, i) => ((i * 7919) % 2000) - 1000)
  meter.push(hour)
  Bun.gc(true)
  const before = process.memoryUsage()
  for (let i = 0; i < 4; i++) meter.push(hour)
  Bun.gc(true)
  const after = process.memoryUsage()
  expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(8e6)
  expect(meter.end().analysis.integrated_lufs).toBeLessThan(0)
})
