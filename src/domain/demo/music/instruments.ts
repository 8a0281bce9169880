import { RATE } from './mix.ts'

/** Returns the frequency of a key of the piano: 69 is the A at 440 Hz. */
const toHertz = (key: number) => 440 * 2 ** ((key - 69) / 12)

const createSound = (seconds: number) => new Float32Array(Math.ceil(seconds * RATE))

/** Returns noise from -1 to 1 that is the same for each start (mulberry32). */
function createNoise(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}

/** A plucked string (Karplus and Strong): noise in a loop of the string's length, which loses its high frequencies first. */
export function pluck(key: number, seconds: number, brightness = 0.5): Float32Array {
  const sound = createSound(seconds)
  const period = RATE / toHertz(key) - 0.5
  const whole = Math.floor(period)
  const part = period - whole
  const line = new Float32Array(whole + 1)
  const noise = createNoise(key)
  let low = 0
  for (let index = 0; index < line.length; index++) {
    low += (0.2 + 0.6 * brightness) * (noise() - low)
    line[index] = low
  }
  const loss = 0.5 ** (1 / ((0.35 + 24 / key) * toHertz(key)))
  let [at, before] = [0, 0]
  for (let index = 0; index < sound.length; index++) {
    const value = line[at] ?? 0
    const next = line[at + 1 === line.length ? 0 : at + 1] ?? 0
    const delayed = value + (1 - part) * (next - value)
    line[at] = loss * 0.5 * (delayed + before)
    before = delayed
    at = at + 1 === line.length ? 0 : at + 1
    sound[index] = delayed * Math.min(1, (sound.length - index) / 2000)
  }
  return sound
}

const TABLE_SIZE = 2048
/** Samples for which an envelope stays the same. */
const CONTROL = 32
/** One period of a soft tone: overtones that become weaker fast. */
const softTable = Float32Array.from({ length: TABLE_SIZE + 1 }, (_, index) => {
  const phase = (2 * Math.PI * index) / TABLE_SIZE
  return [1, 2, 3, 4, 5, 6, 7, 8].reduce((sum, overtone) => sum + Math.sin(overtone * phase) / overtone ** 1.7, 0)
})

/** One string of a pad, which swells and dies away slowly. @param detune in hundredths of a semitone */
export function swell(key: number, seconds: number, detune: number): Float32Array {
  const sound = createSound(seconds)
  const step = (TABLE_SIZE * toHertz(key + detune / 100)) / RATE
  let [phase, low, envelope] = [TABLE_SIZE * (Math.abs(detune * 0.37) % 1), 0, 0]
  for (let index = 0; index < sound.length; index++) {
    const whole = Math.floor(phase)
    const value = softTable[whole] ?? 0
    const tone = value + (phase - whole) * ((softTable[whole + 1] ?? 0) - value)
    phase += step
    if (phase >= TABLE_SIZE) phase -= TABLE_SIZE
    if (index % CONTROL === 0) envelope = Math.sin(Math.PI * (index / sound.length) ** 0.7) ** 1.5
    low += (0.03 + 0.1 * envelope) * (tone - low)
    sound[index] = low * envelope
  }
  return sound
}

/** Frequency modulation of one tone by another. */
interface Modulation {
  ratio: number
  /** Strength at the beginning. */
  index: number
  /** Seconds in which the tone and the modulation fall to a third. */
  decay: number
  indexDecay: number
}

function modulate(key: number, seconds: number, { ratio, index: strength, decay, indexDecay }: Modulation) {
  const sound = createSound(seconds)
  const step = (2 * Math.PI * toHertz(key)) / RATE
  const [fall, indexFall] = [Math.exp(-1 / (decay * RATE)), Math.exp(-1 / (indexDecay * RATE))]
  let [envelope, depth] = [1, strength]
  for (let index = 0; index < sound.length; index++) {
    const edge = Math.min(1, index / 80, (sound.length - index) / 2000)
    sound[index] = edge * envelope * Math.sin(step * index + depth * Math.sin(step * ratio * index))
    envelope *= fall
    depth *= indexFall
  }
  return sound
}

export const strikeBell = (key: number, seconds: number) =>
  modulate(key, seconds, { ratio: 3.5, index: 1.1, decay: 1.1, indexDecay: 0.5 })

export const strikeMallet = (key: number, seconds: number) =>
  modulate(key, seconds, { ratio: 4, index: 0.9, decay: 0.16, indexDecay: 0.05 })

export const pressPiano = (key: number, seconds: number) =>
  modulate(key, seconds, { ratio: 1, index: 1.3, decay: 1.2, indexDecay: 0.7 })

export const playBass = (key: number, seconds: number) =>
  modulate(key, seconds, { ratio: 1, index: 1.6, decay: 0.4, indexDecay: 0.12 })

/** A bass drum: a tone that falls. */
export function kick(): Float32Array {
  const sound = createSound(0.35)
  let phase = 0
  for (let index = 0; index < sound.length; index++) {
    const time = index / RATE
    phase += (2 * Math.PI * (46 + 130 * Math.exp(-time * 38))) / RATE
    sound[index] = Math.sin(phase) * Math.exp(-time * 9) * Math.min(1, (sound.length - index) / 2000)
  }
  return sound
}

/** Noise without its low frequencies, which falls fast. @param fall the higher, the shorter */
function hiss(seconds: number, { fall, cut, start }: { fall: number; cut: number; start: number }): Float32Array {
  const sound = createSound(seconds)
  const noise = createNoise(start)
  let low = 0
  for (let index = 0; index < sound.length; index++) {
    const value = noise()
    low += cut * (value - low)
    sound[index] = (value - low) * Math.exp((-index / RATE) * fall)
  }
  return sound
}

export const tapHat = (isOpen: boolean) => hiss(isOpen ? 0.3 : 0.08, { fall: isOpen ? 14 : 70, cut: 0.75, start: 7 })
export const brushSnare = () => hiss(0.22, { fall: 22, cut: 0.25, start: 11 })
