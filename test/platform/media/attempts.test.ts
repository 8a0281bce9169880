import { describe, expect, test } from 'bun:test'
import { describeMiss, type EncodeAttempt, isBetter, nextLeveling } from '../../../src/platform/media/attempts.ts'
import {
  firstLevel,
  type Level,
  type Leveling,
  type Loudness,
  type NormalizeMode,
} from '../../../src/platform/media/gain.ts'

const sound = (integratedLufs: number, truePeakDbtp: number): Loudness => ({ integratedLufs, truePeakDbtp })

interface Form {
  mode?: NormalizeMode
  lufs?: number
  source?: Loudness
  level?: Level
  canLimit?: boolean
}
function levelingFor({ mode = 'linear', lufs = -16, source = sound(-20, -4), level, canLimit }: Form = {}): Leveling {
  const target = { lufs, mode }
  const first = level ?? firstLevel(target, source)
  return {
    target,
    source,
    filters: [],
    sampleRate: 48_000,
    level: first,
    canLimit: canLimit ?? mode === 'dynamic',
    plannedPeakDbtp: first.limitDbtp ?? source.truePeakDbtp + first.gainDb,
  }
}
const attempt = (integratedLufs: number, truePeakDbtp: number, form: Form = {}): EncodeAttempt => ({
  leveling: levelingFor(form),
  loudness: sound(integratedLufs, truePeakDbtp),
})

describe('the better of two encodes', () => {
  test.each([
    { what: 'keeps the ceiling', better: attempt(-18, -1.1), worse: attempt(-16, -0.8) },
    { what: 'is closer to the target', better: attempt(-16.2, -1.1), worse: attempt(-17, -1) },
    { what: 'is not too loud', better: attempt(-16.2, -1.1), worse: attempt(-15.5, -1.1) },
    { what: 'exceeds the ceiling by less', better: attempt(-18, -0.6), worse: attempt(-16, -0.5) },
  ])('$what', ({ better, worse }) => {
    expect(isBetter(better, worse)).toBe(true)
    expect(isBetter(worse, better)).toBe(false)
  })
})

describe('another encode', () => {
  const gainAfter = (...attempts: EncodeAttempt[]) => nextLeveling(attempts)?.level.gainDb ?? null
  // Up to the ceiling, with a fifth of a dB for the encoder.
  const first = firstLevel({ lufs: -16, mode: 'linear' }, sound(-20, -4)).gainDb

  test('is not needed at the target', () => {
    expect(gainAfter(attempt(-16.09, -1.2))).toBeNull()
  })
  test('adds what is missing below the ceiling', () => {
    expect(gainAfter(attempt(-16.4, -3, { source: sound(-20, -8) }))).toBeCloseTo(4.4, 9)
  })
  test('removes what is too much', () => {
    expect(gainAfter(attempt(-15.6, -3, { source: sound(-20, -8) }))).toBeCloseTo(3.6, 9)
  })
  test('lowers a gain by what the encoder has exceeded', () => {
    expect(gainAfter(attempt(-17.2, -0.2))).toBeCloseTo(first - 0.85, 9)
  })
  test('is not made for room that is left to the encoder', () => {
    expect(gainAfter(attempt(-17.2, -1.25))).toBeNull()
  })
  test('uses room below the ceiling', () => {
    expect(gainAfter(attempt(-17.9, -2.4))).toBeCloseTo(first + 1.3, 9)
  })
  test('is between encodes that kept and exceeded the ceiling', () => {
    const exceedingAttempt = attempt(-16, 0.8)
    const keepingAttempt = attempt(-18.2, -2.9, { level: { gainDb: first - 2, limitDbtp: null } })
    expect(gainAfter(exceedingAttempt, keepingAttempt)).toBeCloseTo(first - 1, 9)
  })
  test('adds a limiter for peaks of the encoder, when it may', () => {
    const form = { mode: 'dynamic', source: sound(-9, 0), lufs: -14 } as const
    const next = nextLeveling([attempt(-14, 0.5, form)])
    expect(next?.level.limitDbtp).toBeCloseTo(-5 - 1.5 - 0.05, 9)
    expect(nextLeveling([attempt(-14, 0.5, { ...form, canLimit: false })])?.level.limitDbtp).toBeNull()
  })
  test('raises a limiter that is too low, and its gain less', () => {
    const form = { mode: 'dynamic', level: { gainDb: 8, limitDbtp: -3 } } as const
    const next = nextLeveling([attempt(-17, -2.1, form)])
    expect(next?.level.limitDbtp).toBeCloseTo(-2, 9)
    expect(next?.level.gainDb).toBeCloseTo(9, 9)
  })
  test('keeps the bound of the limiter', () => {
    const form = { mode: 'dynamic', level: { gainDb: 15, limitDbtp: -1.2 } } as const
    expect(nextLeveling([attempt(-18, -1.1, form)])).toBeNull()
  })

  /** Encoders whose peaks rise by another amount in each encode. */
  const rises = [
    { name: 'none', at: () => 0 },
    { name: 'always 2 dB', at: () => 2 },
    { name: 'more and less', at: (count: number) => [2, 0.2, 1.9, 0.4, 1.2][count] ?? 0 },
    { name: 'less and more', at: (count: number) => [0.2, 2, 0.3, 1.8, 0.9][count] ?? 0 },
  ]
  test.each(rises)('ends after at most four, and keeps the ceiling: $name', ({ at }) => {
    const attempts: EncodeAttempt[] = []
    let leveling: Leveling | null = levelingFor()
    while (leveling) {
      const { source, level } = leveling as Leveling
      const peak = source.truePeakDbtp + level.gainDb + at(attempts.length)
      attempts.push({ leveling, loudness: sound(source.integratedLufs + level.gainDb, peak) })
      leveling = nextLeveling(attempts)
    }
    expect(attempts.length).toBeLessThanOrEqual(4)
    const best = attempts.reduce((one, other) => (isBetter(other, one) ? other : one))
    expect(best.loudness.truePeakDbtp).toBeLessThanOrEqual(-0.95)
    // The best possible is 2.2 dB of rise below the target.
    expect(best.loudness.integratedLufs).toBeGreaterThan(-19.3)
  })
})

describe('the note', () => {
  test.each<{ what: string; attempt: EncodeAttempt; text: string | null }>([
    { what: 'is none at the target', attempt: attempt(-16.1, -1.1), text: null },
    {
      what: 'names the peaks of the recording',
      attempt: attempt(-17.2, -1.15),
      text: 'Normalized to -17.2 LUFS instead of -16: more would make its peaks clip.',
    },
    {
      what: 'names the peaks of the encoder, also of an attenuated file',
      attempt: attempt(-15.2, -1.1, { source: sound(-4, 6), lufs: -14 }),
      text: 'Normalized to -15.2 LUFS instead of -14: more would make its peaks clip, which the encoder raises by 2.9 dB.',
    },
    {
      what: 'names the bound of the limiter',
      attempt: attempt(-18, -1.15, { mode: 'dynamic', level: { gainDb: 15, limitDbtp: -1.2 } }),
      text: 'Normalized to -18.0 LUFS instead of -16: more would distort it, its limiter is at its bound of 12 dB.',
    },
    {
      what: 'names a limiter of no use',
      attempt: attempt(-17.2, -1.2, { mode: 'dynamic', canLimit: false, level: { gainDb: 2.8, limitDbtp: null } }),
      text: 'Normalized to -17.2 LUFS instead of -16: more would distort it, and a limiter would make it softer.',
    },
    {
      what: 'names exceeded peaks of a file at its target',
      attempt: attempt(-16, -0.5, { level: { gainDb: 1, limitDbtp: null } }),
      text: 'Its peaks reach -0.5 dBTP instead of -1: the encoder raises them by 2.5 dB.',
    },
  ])('$what', ({ attempt: best, text }) => {
    expect(describeMiss(best)).toBe(text)
  })
})
