import { describe, expect, test } from 'bun:test'
import { firstLevel, type GainTarget, type Level, type Loudness, nextLevel } from '../../../src/platform/media/gain.ts'

const linear: GainTarget = { lufs: -16, mode: 'linear' }
const dynamic: GainTarget = { lufs: -16, mode: 'dynamic' }
const sound = (integratedLufs: number, truePeakDbtp: number): Loudness => ({ integratedLufs, truePeakDbtp })
const level = (gainDb: number, limitDbtp: number | null = null): Level => ({ gainDb, limitDbtp })
const near = ({ gainDb, limitDbtp }: Level) => ({
  gainDb: expect.closeTo(gainDb, 9),
  limitDbtp: limitDbtp === null ? null : expect.closeTo(limitDbtp, 9),
})

describe('the first level', () => {
  test.each<{ what: string; target: GainTarget; source: Loudness; expected: Level }>([
    { what: 'raises to the target', target: linear, source: sound(-20, -6), expected: level(4) },
    { what: 'raises up to the ceiling', target: linear, source: sound(-20, -5), expected: level(4) },
    { what: 'leaves room below the ceiling', target: linear, source: sound(-20, -4), expected: level(2.8) },
    { what: 'attenuates to the target', target: linear, source: sound(-8, 0), expected: level(-8) },
    {
      what: 'keeps the ceiling of an attenuated sound',
      target: linear,
      source: sound(-15.5, 0),
      expected: level(-1.2),
    },
    { what: 'needs no limiter', target: dynamic, source: sound(-20, -6), expected: level(4) },
    { what: 'limits above the ceiling', target: dynamic, source: sound(-20, -4), expected: level(4, -1.2) },
    { what: 'limits by at most 12 dB', target: dynamic, source: sound(-40, -4), expected: level(15, -1.2) },
  ])('$what ($target.mode)', ({ target, source, expected }) => {
    expect(firstLevel(target, source)).toEqual(near(expected))
  })
})

describe('the next level of a limited sound', () => {
  const source = sound(-20, -4)
  const limited = (gainDb: number, limitDbtp = -1.2) => ({ gainDb, limitDbtp })
  test.each<{ what: string; at: ReturnType<typeof limited>; result: Loudness; expected: Level | null }>([
    { what: 'is none at the target', at: limited(4), result: sound(-16.09, -1.1), expected: null },
    { what: 'adds more than is missing', at: limited(4), result: sound(-17, -1.1), expected: limited(5.3) },
    { what: 'lowers the limiter', at: limited(4), result: sound(-16, -0.8), expected: limited(4, -1.45) },
    { what: 'stops at 12 dB', at: limited(15), result: sound(-18, -1.1), expected: null },
  ])('$what', ({ at, result, expected }) => {
    const next = nextLevel(dynamic, at, source, result)
    expect(next).toEqual(expected && near(expected))
  })
})
