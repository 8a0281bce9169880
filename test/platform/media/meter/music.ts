/** Music made up for tests: drums, chords, bass and a melody by the numbers. */
export interface Song {
  bpm: number
  /** Pitch class of the tonic, C being 0; none where there are only drums. */
  tonic?: number
  isMinor?: boolean
  hasDrums?: boolean
  seconds: number
  sampleRate: number
}

const SCALES = { major: [0, 2, 4, 5, 7, 9, 11], minor: [0, 2, 3, 5, 7, 8, 10] }
/** Degrees of the scale, one a bar. */
const CHORDS = [0, 3, 4, 0]

/** Numbers from -1 to 1, the same at each run. */
export function randomness(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

export function song({ bpm, tonic, isMinor = false, hasDrums = true, seconds, sampleRate }: Song): Float32Array {
  const samples = new Float32Array(seconds * sampleRate)
  const random = randomness(bpm)
  const add = (start: number, length: number, at: (time: number) => number) => {
    const first = Math.round(start * sampleRate)
    const end = Math.min(samples.length, first + Math.round(length * sampleRate))
    for (let i = first; i < end; i++) samples[i] = (samples[i] ?? 0) + at((i - first) / sampleRate)
  }
  const note = (start: number, length: number, pitch: number, level: number) => {
    const hz = 440 * 2 ** ((pitch - 69) / 12)
    const shape = (time: number) => level * Math.min(1, time * 100, (length - time) * 30) * Math.exp(-1.5 * time)
    const overtones = [1, 2, 3, 4, 5].filter((number) => number * hz < sampleRate / 2.2)
    add(start, length, (time) => {
      return shape(time) * overtones.reduce((sum, n) => sum + Math.sin(2 * Math.PI * hz * n * time) / n ** 1.3, 0)
    })
  }
  const scale = isMinor ? SCALES.minor : SCALES.major
  const pitchOf = (degree: number) => (tonic ?? 0) + (scale[degree % 7] ?? 0) + 12 * Math.floor(degree / 7)
  const beat = 60 / bpm
  for (let i = 0; i * beat < seconds; i++) {
    const start = i * beat
    const chord = CHORDS[Math.floor(i / 4) % CHORDS.length] ?? 0
    if (hasDrums && i % 2 === 0) add(start, 0.2, (t) => 0.8 * Math.sin(2 * Math.PI * (55 * t)) * Math.exp(-14 * t))
    if (hasDrums && i % 2 === 1) add(start, 0.2, (t) => 0.4 * random() * Math.exp(-22 * t))
    if (hasDrums) add(start + beat / 2, 0.05, (t) => 0.08 * random() * Math.exp(-70 * t))
    if (tonic === undefined) continue
    if (i % 4 === 0) for (const third of [0, 2, 4]) note(start, 4 * beat, 60 + pitchOf(chord + third), 0.07)
    note(start, 0.9 * beat, 48 + pitchOf(chord), 0.15)
    note(start, 0.5 * beat, 72 + pitchOf(Math.floor((random() + 1) * 3.5)), 0.05)
  }
  return samples
}
