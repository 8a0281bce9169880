// Programs like those that people upload, as their peaks and loudness are: synthesized, so that a fresh clone has them.
import type { Bytes, Recording } from './uploads.ts'

const RATE = 44_100
const SECONDS = 5
const LENGTH = RATE * SECONDS

/** Numbers from -1 to 1, the same in every run (Mulberry32). */
function createNoise(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}

type Sound = Float64Array

/** Adds a sound that begins at a time. @param sample value by its seconds since then */
function strike(sound: Sound, at: number, seconds: number, sample: (t: number) => number): void {
  const from = Math.round(at * RATE)
  const to = Math.min(LENGTH, from + Math.round(seconds * RATE))
  for (let i = from; i < to; i++) sound[i] = (sound[i] ?? 0) + sample((i - from) / RATE)
}

const turn = (hz: number, t: number) => Math.sin(2 * Math.PI * hz * t)

/** A drum whose tone falls, with the click of its beater. */
const kick = (noise: () => number) => (t: number) =>
  Math.sin(2 * Math.PI * (48 * t + 9 * (1 - Math.exp(-t * 28)))) * Math.exp(-t * 9) + 0.4 * noise() * Math.exp(-t * 900)
const snare = (noise: () => number) => (t: number) =>
  0.75 * noise() * Math.exp(-t * 22) + 0.4 * turn(185, t) * Math.exp(-t * 30)
const hat = (noise: () => number) => {
  let last = 0
  return (t: number) => {
    const value = noise()
    const high = value - last
    last = value
    return 0.22 * high * Math.exp(-t * 60)
  }
}

/** A beat, four to the bar at 96 a minute. */
function drums(): Sound {
  const sound = new Float64Array(LENGTH)
  const noise = createNoise(1)
  const beat = 60 / 96
  for (let at = 0; at * beat < SECONDS; at++) {
    strike(sound, at * beat, 0.6, at % 2 === 0 ? kick(noise) : snare(noise))
    for (const half of [0, 0.5]) strike(sound, (at + half) * beat, 0.12, hat(noise))
  }
  return sound
}

/** One drum of a mix, in a room: little but attacks, 20 dB above the loudness. */
function soloDrum(): Sound {
  const sound = new Float64Array(LENGTH)
  const noise = createNoise(2)
  for (let at = 0; at < SECONDS; at += 0.5) {
    strike(
      sound,
      at,
      0.4,
      (t) => noise() * (Math.exp(-t * 160) + 0.035 * Math.exp(-t * 8)) + 0.4 * turn(185, t) * Math.exp(-t * 90),
    )
  }
  return sound
}

const clipped = (sound: Sound, gain: number): Sound => sound.map((value) => Math.max(-1, Math.min(1, gain * value)))

/** Syllables of voiced and unvoiced sound, with pauses and soft sentences. */
function speech(): Sound {
  const sound = new Float64Array(LENGTH)
  const noise = createNoise(3)
  for (let at = 0.1, count = 0; at < SECONDS - 0.4; count++) {
    const level = (count % 24 < 12 ? 1 : 0.25) * (0.7 + 0.3 * noise())
    const hz = 105 + 25 * noise()
    const formants = [500 + 250 * noise(), 1500 + 500 * noise(), 2600 + 200 * noise()]
    const voice = (t: number) => {
      let sum = 0
      for (let k = 1; k <= 32; k++) {
        const near = formants.reduce((most, formant) => most + Math.exp(-(((k * hz - formant) / 160) ** 2)), 0.02)
        sum += (near / Math.sqrt(k)) * Math.cos(2 * Math.PI * k * hz * t)
      }
      return level * 0.35 * sum * Math.sin(Math.PI * Math.min(1, t / 0.18)) ** 0.5
    }
    strike(sound, at, 0.18, voice)
    strike(sound, at + 0.17, 0.06, (t) => level * 0.25 * noise() * Math.sin((Math.PI * t) / 0.06))
    at += count % 6 === 5 ? 0.6 : 0.24
  }
  return sound
}

const BAR = 1.25
/** Chords of many detuned strings that swell, and a timpani. */
function orchestra(): Sound {
  const sound = new Float64Array(LENGTH)
  const noise = createNoise(4)
  for (const [bar, chord] of [
    [110, 165, 220, 277],
    [98, 147, 196, 247],
    [87, 131, 175, 220],
    [98, 147, 247, 294],
  ].entries()) {
    for (const hz of chord) {
      for (let player = 0; player < 3; player++) {
        const detunedHz = hz * (1 + 0.004 * noise())
        const phases = Array.from({ length: 6 }, () => Math.PI * noise())
        strike(sound, bar * BAR, 1.5, (t) => {
          const swell = Math.sin((Math.PI * t) / 1.5) ** 2 * (0.3 + 0.25 * bar)
          return phases.reduce(
            (sum, phase, k) => sum + (swell * 0.03 * Math.sin(2 * Math.PI * (k + 1) * detunedHz * t + phase)) / (k + 1),
            0,
          )
        })
      }
    }
    if (bar > 1) strike(sound, bar * BAR + 0.6, 0.65, (t) => 0.8 * turn(73, t) * Math.exp(-t * 5))
  }
  return sound
}

/** A saw bass and chords under a loud kick, saturated as such mixes are. */
function electronic(): Sound {
  const sound = new Float64Array(LENGTH)
  const noise = createNoise(5)
  const beat = 60 / 126
  const saw = (hz: number, t: number) => 2 * ((hz * t) % 1) - 1
  for (let at = 0; at * beat < SECONDS; at++) {
    strike(sound, at * beat, beat, (t) => 0.35 * saw(55 * (at % 8 < 4 ? 1 : 1.19), t) * Math.min(1, t / (0.6 * beat)))
    strike(
      sound,
      (at + 0.5) * beat,
      beat * 0.4,
      (t) => 0.14 * (saw(440, t) + saw(554.4, t) + saw(659.3, t)) * Math.exp(-t * 9),
    )
    strike(sound, at * beat, 0.4, kick(noise))
    strike(sound, (at + 0.5) * beat, 0.1, hat(noise))
  }
  return sound.map((value) => Math.tanh(1.8 * value))
}

/** A WAV of 24 bits, in which both channels have the sound. @param peak of the samples, in dBFS; null keeps them */
function toWav(sound: Sound, peak: number | null = null): Bytes {
  const highest = sound.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const scale = peak === null ? 1 : 10 ** (peak / 20) / highest
  const channels = 2
  const data = Buffer.alloc(sound.length * channels * 3)
  for (const [frame, value] of sound.entries()) {
    const sample = Math.max(-0x80_0000, Math.min(0x7f_ffff, Math.round(value * scale * 0x7f_ffff)))
    for (let channel = 0; channel < channels; channel++) data.writeIntLE(sample, (frame * channels + channel) * 3, 3)
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE * channels * 3, 28)
  head.writeUInt16LE(channels * 3, 32)
  head.writeUInt16LE(24, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return new Uint8Array(Buffer.concat([head, data]))
}

export const programs: readonly Recording[] = [
  { name: 'drums.wav', make: async () => toWav(drums(), -0.1) },
  { name: 'solo drum.wav', make: async () => toWav(soloDrum(), -0.1) },
  { name: 'clipped drums.wav', make: async () => toWav(clipped(drums(), 8)) },
  { name: 'speech.wav', make: async () => toWav(speech(), -3) },
  { name: 'orchestra.wav', make: async () => toWav(orchestra(), -1) },
  { name: 'electronic.wav', make: async () => toWav(electronic(), -0.3) },
]
