// Pieces of long recordings, and their cues (decision 0087).
import { describe, expect, test } from 'bun:test'
import { joinCues, type SpokenCue } from '../../src/platform/speech/cues.ts'
import { choosePiece, isCutInSpeech } from '../../src/platform/speech/pieces.ts'

const RATE = 16_000

/** Sound of a constant level with parts of other levels. @param parts level from a start to an end, in seconds */
function makeSound(seconds: number, level: number, parts: [from: number, to: number, level: number][] = []) {
  const samples = new Int16Array(seconds * RATE)
  const fill = (from: number, to: number, value: number) => {
    for (let at = Math.round(from * RATE); at < to * RATE; at++) samples[at] = at % 2 === 0 ? value : -value
  }
  fill(0, seconds, level)
  for (const [from, to, other] of parts) fill(from, to, other)
  return samples
}

describe('a piece ends', () => {
  test.each([
    [
      'in the middle of the longest pause of its last two fifths',
      [
        [70, 70.4, 0],
        [80, 81, 0],
        [90, 90.5, 0],
      ],
      80.5,
      0.5,
    ],
    ['with at most a second of a long pause', [[70, 78, 0]], 74, 1],
    ['in a pause of a quiet noise', [[80, 81, 300]], 80.5, 0.5],
    ['in a pause of 0.3 s', [[80, 80.3, 0]], 80.15, 0.15],
  ] as [string, [number, number, number][], number, number][])('%s', (_, parts, cut, overlap) => {
    const piece = choosePiece(makeSound(100, 8000, parts), 100)
    expect(piece.cut).toBeCloseTo(cut, 1)
    expect(piece.overlap).toBeCloseTo(overlap, 1)
    expect(piece.isSilent).toBe(false)
    expect(isCutInSpeech(piece.overlap)).toBe(false)
  })

  test.each([
    ['without a pause', [[85, 85.1, 3000]], 85.05],
    [
      'with pauses before its last two fifths only',
      [
        [20, 22, 0],
        [59, 59.9, 0],
        [85, 85.1, 3000],
      ],
      85.05,
    ],
    ['with a pause that is shorter than 0.3 s', [[85, 85.2, 0]], 85.1],
  ] as [string, [number, number, number][], number][])(
    '%s at its quietest place, with two seconds that both have',
    (_, parts, cut) => {
      const piece = choosePiece(makeSound(100, 8000, parts), 100)
      expect(piece.cut).toBeCloseTo(cut, 0)
      expect(piece.overlap).toBe(2)
      expect(isCutInSpeech(piece.overlap)).toBe(true)
    },
  )

  test('with the recording, when less sound than a piece is left', () => {
    expect(choosePiece(makeSound(99, 8000, [[80, 81, 0]]), 100)).toEqual({ cut: 99, overlap: 0, isSilent: false })
  })

  test('and is silent where nothing is louder than -66 dBFS', () => {
    expect(choosePiece(makeSound(10, 15), 100).isSilent).toBe(true)
    expect(choosePiece(makeSound(10, 15, [[5, 5.05, 17]]), 100).isSilent).toBe(false)
  })
})

describe('cues of two pieces', () => {
  const cue = (start: number, end: number, text: string): SpokenCue => ({ start, end, text })
  const texts = (cues: readonly SpokenCue[]) => cues.map(({ text }) => text)

  test('around a pause follow each other, also with the same words', () => {
    const joined = joinCues([cue(95, 100, 'and so on')], [cue(100, 104, 'So on and on')], 100, 0)
    expect(texts(joined)).toEqual(['and so on', 'So on and on'])
  })

  test('belong to the piece that their middle is in', () => {
    const joined = joinCues([cue(90, 99, 'one')], [cue(98, 99.5, 'of the first'), cue(99.4, 104, 'two')], 100, 2)
    expect(texts(joined)).toEqual(['one', 'two'])
  })

  test.each([
    ['are kept once', 'we went down to the river', 'to the river and then home', 'and then home'],
    ['are compared without case and punctuation', 'down to the River.', 'the river, and home', 'and home'],
    ['are no reason to lose others', 'down to the river', 'a river and home', 'a river and home'],
    ['leave no empty cue', 'to the river', 'the river', null],
  ])('with words that both have: they %s', (_, before, after, rest) => {
    const joined = joinCues([cue(95, 101, before)], [cue(99.5, 105, after), cue(105, 106, 'end')], 100, 2)
    expect(texts(joined)).toEqual([before, ...(rest === null ? [] : [rest]), 'end'])
    // The next one does not begin before the end of the last.
    if (rest !== null) expect(joined[1]?.start).toBe(101)
  })
})
