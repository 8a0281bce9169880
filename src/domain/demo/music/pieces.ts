import {
  brushSnare,
  kick,
  playBass,
  pluck,
  pressPiano,
  strikeBell,
  strikeMallet,
  swell,
  tapHat,
} from './instruments.ts'
import { addSound, type Mastering, type Mix, type SoundPlace } from './mix.ts'

/** A piece of music that code plays. */
export interface DemoPiece {
  seconds: number
  level: Mastering
  /** Adds the sounds to a mix. Yields after each. */
  play: (mix: Mix) => Generator<void>
}

/** Adds sounds one after another. */
function* addAll(mix: Mix, sounds: Iterable<[sound: () => Float32Array, place: SoundPlace]>): Generator<void> {
  for (const [sound, place] of sounds) {
    addSound(mix, sound(), place)
    yield
  }
}

type Sounds = Generator<[sound: () => Float32Array, place: SoundPlace]>

/** A chord of a pad: each key by two strings that differ a little. */
function* pad(keys: readonly number[], seconds: number, place: SoundPlace): Sounds {
  for (const [index, key] of keys.entries()) {
    const pan = keys.length > 1 ? (1.4 * index) / (keys.length - 1) - 0.7 : 0
    yield [() => swell(key, seconds, 5 + index), { room: 0.5, ...place, pan }]
    yield [() => swell(key, seconds, -6 - index), { room: 0.5, ...place, pan: -pan }]
  }
}

/** A bar of plucked strings: the bass of a chord, then its other keys one after another. */
function* breakChord([bass = 50, ...keys]: readonly number[], beat: number, start: number): Sounds {
  yield [() => pluck(bass > 44 ? bass - 12 : bass, 3, 0.25), { at: start, level: 0.75, room: 0.15 }]
  for (const [step, note] of [0, 2, 1, 3, 2, 4, 3, 1].entries()) {
    const late = step % 2 === 1 ? 0.012 : 0
    const place = { at: start + (step * beat) / 2 + late, pan: step % 2 === 0 ? -0.45 : 0.4, room: 0.3 }
    yield [
      () => pluck(keys[note] ?? 60, 2.2, 0.45 + 0.1 * (step % 3)),
      { ...place, level: step % 4 === 0 ? 0.5 : 0.38 },
    ]
  }
}

/** Plucked strings: broken chords, a bass, and from the second round on a melody. */
function* playHarbourLights(): Sounds {
  const beat = 60 / 98
  const chords = [
    [50, 57, 60, 64, 65, 69],
    [46, 53, 57, 62, 65, 69],
    [41, 53, 57, 60, 67, 69],
    [48, 55, 60, 62, 64, 67],
  ]
  const melody = [
    [77, 0, 2.5],
    [76, 2.5, 1.5],
    [74, 4, 2],
    [72, 6, 1],
    [69, 7, 1],
    [72, 8, 3],
    [69, 11, 1],
    [67, 12, 4],
    [74, 16, 1.5],
    [76, 17.5, 1],
    [77, 18.5, 1.5],
    [81, 20, 2],
    [79, 22, 2],
    [76, 24, 2.5],
    [72, 26.5, 1.5],
    [74, 28, 4],
  ] as const
  for (let bar = 0; bar < 12; bar++) {
    const chord = chords[bar % chords.length] ?? []
    const at = bar * 4 * beat
    yield* breakChord(chord, beat, at)
    if (bar >= 4) yield* pad(chord.slice(1, 4), 4.6 * beat, { at, level: 0.07 })
  }
  for (const [key, from, length] of melody) {
    yield [
      () => pluck(key, Math.max(1.2, length * beat + 0.8), 0.7),
      { at: (16 + from) * beat, level: 0.55, pan: 0.05, room: 0.45 },
    ]
  }
  yield [() => pluck(38, 4, 0.3), { at: 48 * beat, level: 0.7, room: 0.3 }]
  for (const [index, key] of [50, 57, 64, 65, 69].entries()) {
    yield [() => pluck(key, 4, 0.5), { at: 48 * beat + 0.05 * index, level: 0.45, pan: index * 0.2 - 0.4, room: 0.4 }]
  }
}

/** A pad of slow chords with bells far away. */
function* playSlowCurrent(): Sounds {
  const chords = [
    [43, 50, 58, 62, 69],
    [39, 51, 58, 62, 67],
    [46, 53, 60, 62, 69],
    [41, 53, 57, 64, 67],
    [43, 50, 58, 65, 70],
  ]
  for (const [index, keys] of chords.entries()) {
    yield* pad(keys, 9, { at: index * 5.5, level: 0.3 })
    yield [() => swell((keys[0] ?? 43) - 12, 8.5, 0), { at: index * 5.5, level: 0.4, room: 0.2 }]
  }
  const bells = [
    [86, 2.2],
    [81, 3.1],
    [82, 7.6],
    [86, 9.0],
    [79, 10.2],
    [88, 13.0],
    [84, 14.1],
    [81, 15.4],
    [79, 18.6],
    [84, 19.5],
    [88, 20.4],
    [86, 23.2],
    [82, 24.4],
    [81, 25.9],
    [86, 28.2],
  ] as const
  for (const [index, [key, at]] of bells.entries()) {
    const pan = index % 2 === 0 ? -0.5 : 0.55
    yield [() => strikeBell(key, 3.2), { at, level: 0.11, pan, room: 1.1 }]
    yield [() => strikeBell(key, 2.2), { at: at + 0.42, level: 0.04, pan: -pan, room: 1.1 }]
  }
}

const BAR = 16
const SIXTEENTH = 60 / 112 / 4
/** Each second sixteenth is a little late. */
const swing = (bar: number, index: number) => (bar * BAR + index + (index % 2 === 1 ? 0.16 : 0)) * SIXTEENTH

const bassLine = [38, 0, 0, 38, 0, 0, 41, 0, 0, 38, 0, 43, 0, 0, 41, 0]
const riffs = [
  [74, 0, 69, 0, 72, 0, 69, 65, 0, 69, 0, 72, 0, 74, 0, 0],
  [77, 0, 72, 0, 74, 0, 72, 69, 0, 65, 0, 69, 0, 67, 0, 0],
]

function* drum(bar: number, index: number): Sounds {
  const at = swing(bar, index)
  const isFill = bar % 4 === 3 && index === 14
  if ([0, 7, 10].includes(index) || isFill) yield [kick, { at, level: 0.95, room: 0.04 }]
  if (bar >= 1 && index % 8 === 4) yield [brushSnare, { at, level: 0.3, pan: 0.05, room: 0.3 }]
  if (index % 2 === 1 && (bar <= 5 || index % 4 === 1)) return
  const level = index % 4 === 2 ? 0.16 : 0.09
  yield [() => tapHat(index === 14 && bar % 2 === 1), { at, level, pan: 0.3, room: 0.1 }]
}

function* playRiff(bar: number, index: number): Sounds {
  const at = swing(bar, index)
  const shift = bar % 4 === 3 ? -2 : 0
  const low = bassLine[index] ?? 0
  if (bar >= 2 && low > 0) yield [() => playBass(low + shift, 0.5), { at, level: 0.5, room: 0.05 }]
  const key = riffs[bar % 2]?.[index] ?? 0
  if (bar < 4 || key === 0) return
  yield [() => strikeMallet(key + shift, 0.8), { at, level: 0.26, pan: -0.35, room: 0.5 }]
  const echo = { at: at + 3 * SIXTEENTH, level: 0.11, pan: 0.5, room: 0.7 }
  if (bar >= 8) yield [() => strikeMallet(key + shift - 12, 0.8), echo]
}

/** Drums, a bass and mallets, which come in one after another. */
function* playEngineRoom(): Sounds {
  for (let bar = 0; bar < 12; bar++) {
    for (let index = 0; index < BAR; index++) {
      yield* drum(bar, index)
      yield* playRiff(bar, index)
    }
  }
  for (const bar of [8, 10]) yield* pad([62, 65, 69], 2 * BAR * SIXTEENTH, { at: swing(bar, 0), level: 0.1 })
  yield* drum(12, 0)
  yield* playRiff(12, 0)
}

/** An electric piano with bells and a pad. */
function* playFirstLight(): Sounds {
  const beat = 60 / 80
  const chords = [
    [41, 57, 60, 64, 67],
    [40, 55, 60, 64, 67],
    [38, 57, 60, 64, 65],
    [46, 53, 57, 62, 65],
    [45, 57, 60, 65, 69],
    [43, 58, 62, 65, 69],
    [48, 58, 62, 64, 67],
    [41, 57, 60, 65, 72],
  ]
  const melody = [
    [72, 2],
    [76, 3],
    [79, 5],
    [77, 6],
    [76, 7],
    [72, 9],
    [74, 10.5],
    [77, 13],
    [81, 14.5],
    [79, 17],
    [77, 18],
    [76, 18.5],
    [74, 21],
    [77, 22.5],
    [76, 25],
    [74, 26.5],
    [77, 28],
  ] as const
  for (const [bar, [root = 41, ...keys]] of chords.entries()) {
    const at = bar * 4 * beat
    const isEnd = bar === chords.length - 1
    yield [() => pressPiano(root, isEnd ? 5 : 3), { at, level: 0.34, room: 0.15 }]
    for (const [index, key] of keys.entries()) {
      const pan = index * 0.25 - 0.4
      yield [() => pressPiano(key, isEnd ? 5 : 3), { at: at + 0.02 * index, level: 0.2, pan, room: 0.3 }]
      if (!isEnd)
        yield [() => pressPiano(key, 1.6), { at: at + 2.5 * beat + 0.012 * index, level: 0.11, pan, room: 0.3 }]
    }
    yield* pad(keys.slice(0, 3), 5 * beat, { at, level: bar < 2 ? 0.06 : 0.1 })
  }
  for (const [key, from] of melody) {
    yield [() => strikeBell(key, 2.6), { at: from * beat, level: 0.17, pan: 0.2, room: 0.7 }]
  }
}

const toPiece = (seconds: number, level: Mastering, sounds: () => Sounds): DemoPiece => ({
  seconds,
  level,
  play: (mix) => addAll(mix, sounds()),
})

/** Their peaks make them about equally loud to a listener: -17 to -14 LUFS. */
export const harbourLights = toPiece(33.5, { drive: 1.2, peak: 0.55 }, playHarbourLights)
export const slowCurrent = toPiece(33, { drive: 1, peak: 0.44 }, playSlowCurrent)
export const engineRoom = toPiece(28, { drive: 1.6, peak: 0.62 }, playEngineRoom)
export const firstLight = toPiece(27, { drive: 1, peak: 0.6 }, playFirstLight)
