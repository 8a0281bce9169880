/** Samples in a second of the recordings. */
export const RATE = 44_100
const FADE_SECONDS = 0.02

/** A stereo recording while it is being made: the direct sound, and the part of it that the room answers. */
export interface Mix {
  dry: [leftChannel: Float32Array, rightChannel: Float32Array]
  room: Float32Array
}

/** Where a sound is in the mix. */
export interface SoundPlace {
  /** Seconds from the beginning. */
  at: number
  level: number
  /** From -1, left, to 1, right. Defaults to 0. */
  pan?: number
  /** Share of the sound that the room gets. Defaults to 0.25. */
  room?: number
}

export function createMix(seconds: number): Mix {
  const length = Math.round(seconds * RATE)
  return { dry: [new Float32Array(length), new Float32Array(length)], room: new Float32Array(length) }
}

/** Adds a sound of one channel to a mix. Sound after the end of the mix is left out. */
export function addSound({ dry, room }: Mix, sound: Float32Array, place: SoundPlace): void {
  const first = Math.round(place.at * RATE)
  const angle = (((place.pan ?? 0) + 1) * Math.PI) / 4
  const [leftLevel, rightLevel] = [place.level * Math.cos(angle), place.level * Math.sin(angle)]
  const sent = place.level * (place.room ?? 0.25)
  const length = Math.min(sound.length, room.length - first)
  for (let index = 0; index < length; index++) {
    const value = sound[index] ?? 0
    dry[0][first + index] = (dry[0][first + index] ?? 0) + leftLevel * value
    dry[1][first + index] = (dry[1][first + index] ?? 0) + rightLevel * value
    room[first + index] = (room[first + index] ?? 0) + sent * value
  }
}

/** Delays of the room in samples, for the left channel. Those of the right one are longer, so that it sounds wide. */
const COMBS = [1557, 1617, 1491, 1422]
const ALL_PASSES = [556, 225]
const WIDTH = 23
const FEEDBACK = 0.82
const DAMPING = 0.35

/** Adds the answer of a room (Schroeder's reverberator: combs in parallel, all-pass filters in series). Yields between its filters. */
export function* addRoom({ dry, room }: Mix): Generator<void> {
  for (const [channel, target] of dry.entries()) {
    const wet = new Float32Array(room.length)
    for (const delay of COMBS) {
      addComb(room, wet, delay + channel * WIDTH)
      yield
    }
    for (const delay of ALL_PASSES) {
      passAll(wet, delay + channel * WIDTH)
      yield
    }
    for (let index = 0; index < wet.length; index++) target[index] = (target[index] ?? 0) + (wet[index] ?? 0)
    yield
  }
}

function addComb(input: Float32Array, output: Float32Array, delay: number): void {
  const line = new Float32Array(delay)
  let [at, low] = [0, 0]
  for (let index = 0; index < input.length; index++) {
    const value = line[at] ?? 0
    low = value + DAMPING * (low - value)
    line[at] = (input[index] ?? 0) + FEEDBACK * low
    at = at + 1 === delay ? 0 : at + 1
    output[index] = (output[index] ?? 0) + value / COMBS.length
  }
}

function passAll(sound: Float32Array, delay: number): void {
  const line = new Float32Array(delay)
  let at = 0
  for (let index = 0; index < sound.length; index++) {
    const value = line[at] ?? 0
    const input = sound[index] ?? 0
    line[at] = input + value * 0.5
    at = at + 1 === delay ? 0 : at + 1
    sound[index] = value - input * 0.5
  }
}

/** Removes what is below 20 Hz, which takes room from the rest and is heard by no one. Yields between the channels. */
export function* removeLowest({ dry }: Mix): Generator<void> {
  const share = 1 - (2 * Math.PI * 20) / RATE
  for (const channel of dry) {
    let [before, output] = [0, 0]
    for (const [index, value] of channel.entries()) {
      output = value - before + share * output
      before = value
      channel[index] = output
    }
    yield
  }
}

/** How loud a recording is. */
export interface Mastering {
  /** How much its peaks are pressed together: 0.1 leaves them as they are, 2 makes it about 6 dB louder. */
  drive: number
  /** Its highest sample. 1 is full scale. */
  peak: number
}

/** Frames between two yields. */
const STRETCH = RATE / 4

/**
 * Writes a mix as a WAV file of 16 bits. Yields several times for each second of sound.
 */
export function* writeRecording(
  { dry: [leftChannel, rightChannel] }: Mix,
  { drive, peak }: Mastering,
): Generator<void, Uint8Array<ArrayBuffer>> {
  let highest = 0
  for (const channel of [leftChannel, rightChannel])
    for (const value of channel) highest = Math.max(highest, Math.abs(value))
  yield
  const scale = drive / (highest || 1)
  const ceiling = (peak * 32_767) / saturate(drive)
  const frames = leftChannel.length
  const file = new Uint8Array(44 + frames * 4)
  writeHeader(new DataView(file.buffer), frames * 4)
  const samples = new Int16Array(file.buffer, 44)
  const fade = FADE_SECONDS * RATE
  for (let index = 0; index < frames; index++) {
    const gain = ceiling * Math.min(1, (frames - index) / fade)
    samples[2 * index] = gain * saturate(scale * (leftChannel[index] ?? 0))
    samples[2 * index + 1] = gain * saturate(scale * (rightChannel[index] ?? 0))
    if (index % STRETCH === 0) yield
  }
  return file
}

/** Almost the hyperbolic tangent, in a fifth of its time. For values from -3 to 3. */
const saturate = (value: number) => (value * (27 + value * value)) / (27 + 9 * value * value)

function writeHeader(view: DataView, bytes: number): void {
  const writeText = (at: number, text: string) =>
    [...text].forEach((letter, index) => {
      view.setUint8(at + index, letter.charCodeAt(0))
    })
  writeText(0, 'RIFF')
  view.setUint32(4, 36 + bytes, true)
  writeText(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 2, true)
  view.setUint32(24, RATE, true)
  view.setUint32(28, RATE * 4, true)
  view.setUint16(32, 4, true)
  view.setUint16(34, 16, true)
  writeText(36, 'data')
  view.setUint32(40, bytes, true)
}
