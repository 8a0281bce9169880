import { describe, expect, test } from 'bun:test'
import type { SoundFormat } from '../../../../src/platform/media/meter/sound.ts'
import { makeMedia } from '../../../support/audio.ts'
import { amplitude, decoded, measured, sound, stereo } from '../../../support/meter.ts'
import { FFMPEG } from '../../../support/tools.ts'

const RATE = 8000
const mono: SoundFormat = { sampleRate: RATE, channels: 1, channelMask: 4 }
const sine =
  (hertz: number, level = 0.5) =>
  (time: number) =>
    level * Math.sin(2 * Math.PI * hertz * time)
const quality = (seconds: number, channels: ((time: number) => number)[], frames?: number) => {
  const format = channels.length === 2 ? stereo(RATE) : mono
  return measured(sound(seconds, format, channels), format, frames).quality
}

describe('phase', () => {
  test.each([
    { name: 'the same', right: sine(400), correlation: 1, loss: 0, balance: 0 },
    { name: 'opposite', right: sine(400, -0.5), correlation: -1, loss: 120, balance: 0 },
    { name: 'unrelated', right: sine(500), correlation: 0, loss: 3.01, balance: 0 },
    { name: '40 dB softer', right: sine(400, 0.005), correlation: 1, loss: 2.92, balance: 40 },
    { name: 'silent', right: () => 0, correlation: null, loss: 3.01, balance: 120 },
  ])('of a channel that is $name', ({ right, correlation, loss, balance }) => {
    expect(quality(4, [sine(400), right])).toMatchObject({
      phase_correlation: correlation,
      mono_loss_db: loss,
      balance_db: balance,
    })
  })

  test('is known of stereo only, and not of silence', () => {
    const unknown = { phase_correlation: null, mono_loss_db: null, balance_db: null, lowest_phase_correlation: null }
    expect(quality(4, [sine(400)])).toMatchObject(unknown)
    expect(quality(4, [() => 0, () => 0])).toMatchObject(unknown)
  })

  test('is lowest in the window of 3 seconds where a channel is inverted, unless that is soft', () => {
    const inverted = (level: number) => (time: number) => (time >= 6 && time < 9 ? -level : level) * sine(400, 1)(time)
    const dip = { lowest_phase_correlation: -1, lowest_phase_correlation_at_seconds: 6 }
    for (const frames of [777, 50_000]) expect(quality(12, [sine(400), inverted(0.5)], frames)).toMatchObject(dip)
    const softened = (signal: (time: number) => number) => (time: number) =>
      (time >= 6 && time < 9 ? amplitude(-60) : 1) * signal(time)
    expect(quality(12, [softened(sine(400)), softened(inverted(0.5))]).lowest_phase_correlation).toBe(1)
    expect(quality(2.9, [sine(400), inverted(0.5)]).lowest_phase_correlation).toBeNull()
  })
})

test('of equal windows of phase the first is the lowest, in chunks of any size', () => {
  const noise = (seed: number) => (time: number) => 0.3 * Math.sin(seed * Math.round((time % 3) * RATE) ** 2)
  for (const frames of [777, 1000, 4321, 50_000]) {
    expect(quality(13, [noise(1), noise(2)], frames).lowest_phase_correlation_at_seconds).toBe(0)
  }
})

describe('noise floor', () => {
  test('equals the RMS trough of ffmpeg, and counts how long it lasts', async () => {
    const source =
      'anoisesrc=d=4:c=white:a=0.01:r=44100:seed=5[n];sine=f=500:d=4:r=44100,volume=eval=frame:volume=between(t\\,0\\,2)[s];[n][s]amix,volume=2'
    const file = await makeMedia(['-f', 'lavfi', '-i', source, '-c:a', 'pcm_s16le'], 'wav')
    const format = { sampleRate: 44_100, channels: 1, channelMask: 4 }
    const { noise_floor_dbfs, noise_floor_seconds } = measured(await decoded(file, 's16'), format).quality
    const args = ['-hide_banner', '-i', 'pipe:0', '-af', 'astats', '-f', 'null', '-']
    const log = Bun.spawnSync([FFMPEG, ...args], { stdin: file }).stderr.toString()
    expect(noise_floor_dbfs).toBeCloseTo(Number(/RMS trough dB: (-?[\d.]+)/.exec(log)?.[1]), 0)
    expect(noise_floor_seconds).toBeWithin(1.8, 2.2)
  })

  test('leaves out digital silence', () => {
    const level = quality(2, [(time) => (time < 1 ? sine(400, amplitude(-40))(time) : 0)]).noise_floor_dbfs
    expect(level).toBe(-43)
    const silent = quality(2, [() => 0])
    expect([silent.noise_floor_dbfs, silent.noise_floor_seconds]).toEqual([null, null])
  })
})

describe('pauses', () => {
  const gap = (from: number, to: number) => [(time: number) => (time >= from && time < to ? 0 : 0.25)]
  test('are found from half a second on, exact to the sample', () => {
    const pause = { longest_pause_seconds: 0.75, longest_pause_at_seconds: 1.25 }
    for (const frames of [333, 9000]) expect(quality(4, gap(1.25, 2), frames)).toMatchObject(pause)
    expect(quality(4, gap(1, 1.5))).toMatchObject({ longest_pause_seconds: null, longest_pause_at_seconds: null })
    expect(quality(4, gap(1, 1.501)).longest_pause_seconds).toBe(0.501)
  })

  test('do not start or end a recording', () => {
    expect(quality(4, gap(0, 2)).longest_pause_seconds).toBeNull()
    expect(quality(4, gap(2, 4)).longest_pause_seconds).toBeNull()
  })
})

test('places of clipping are the first ten, at least a second apart', () => {
  const clipped = (every: number) => [(time: number) => (Math.round(time * RATE) % (every * RATE) < 5 ? 1 : 0.1)]
  expect(quality(2.9, clipped(0.5)).clipped_at_seconds).toEqual([0, 1, 2])
  expect(quality(15, clipped(1)).clipped_at_seconds).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(quality(2, [sine(400)]).clipped_at_seconds).toEqual([])
  // The second channel clips first, within the same block.
  const later = (time: number) => (time >= 1.03 && time < 1.04 ? 1 : 0.1)
  const earlier = (time: number) => (time >= 1.01 && time < 1.02 ? 1 : 0.1)
  for (const frames of [50, 9000]) expect(quality(2, [later, earlier], frames).clipped_at_seconds).toEqual([1.01])
})

describe('cut-off', () => {
  const pink = 'anoisesrc=d=3:c=pink:a=0.5:r=44100:seed=3'
  const cutOff = async (source: string, codec: string[], extension: string, sampleRate = 44_100) => {
    const file = await makeMedia(['-f', 'lavfi', '-i', source, '-ac', '2', ...codec], extension)
    return measured(await decoded(file, 'f32'), stereo(sampleRate)).quality.cutoff_hz
  }
  const mp3 = (rate: string) => ['-c:a', 'libmp3lame', '-b:a', rate]

  test('is found where encoders and converters of the sample rate leave it', async () => {
    expect(await cutOff(pink, mp3('128k'), 'mp3')).toBeWithin(16_000, 17_500)
    expect(await cutOff(pink, mp3('192k'), 'mp3')).toBeWithin(18_000, 19_500)
    expect(await cutOff(pink, ['-c:a', 'aac', '-b:a', '96k'], 'm4a')).toBeWithin(15_500, 17_500)
    expect(await cutOff(`${pink},aresample=22050,aresample=44100`, [], 'wav')).toBeWithin(10_500, 12_500)
    expect(await cutOff(`${pink},aresample=96000`, [], 'wav', 96_000)).toBeWithin(21_500, 25_500)
  })

  test.each([
    { name: 'pink noise', source: pink },
    { name: 'brown noise', source: 'anoisesrc=d=3:c=brown:a=0.5:r=44100:seed=3' },
    { name: 'noise behind a filter of 12 dB an octave', source: `${pink},lowpass=f=3000` },
    { name: 'a tone', source: 'sine=f=1000:d=3:r=44100' },
    { name: 'a chord', source: "aevalsrc='0.2*sin(2*PI*262*t)+0.2*sin(2*PI*330*t)+0.2*sin(2*PI*392*t)':d=3:s=44100" },
    { name: 'a sawtooth', source: "aevalsrc='0.3*(mod(t*110,1)-0.5)':d=3:s=44100" },
    { name: '8 bits', source: `${pink},aformat=u8` },
    { name: 'silence', source: 'anullsrc=r=44100,atrim=duration=3' },
  ])('does not exist in $name', async ({ source }) => {
    expect(await cutOff(source, [], 'wav')).toBeNull()
  })
})

test('figures do not depend on the chunk size', () => {
  const format = stereo(RATE)
  const noise = sound(7, format, [
    (time) => sine(400, time > 3 && time < 4 ? 0 : 1.2)(time),
    (time) => sine(401, time > 3 && time < 4 ? 0 : 0.7)(time),
  ])
  const whole = measured(noise, format, noise.length).quality
  expect(whole).toMatchObject({ longest_pause_seconds: expect.any(Number), clipped_at_seconds: expect.any(Array) })
  for (const frames of [1, 1024, 4409]) expect(measured(noise, format, frames).quality).toEqual(whole)
})
