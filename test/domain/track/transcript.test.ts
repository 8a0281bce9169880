// Forms of a transcription. The feed's tests have those of one cue.
import { describe, expect, test } from 'bun:test'
import { parseText } from 'media-captions'
import { convertTranscript } from '../../../src/domain/track/transcript/forms.ts'

const interview = `WEBVTT

NOTE made by hand

STYLE
::cue { color: red }

intro
00:59.999 --> 01:00.000 align:start position:10%
<v Ada Tone>Good <b>evening</b>,

01:00.000 --> 10:00:00.000
<v Ada Tone>everyone.

01:01.000 --> 01:02.000
<v Bo>

01:01.500 --> 01:03.000
<v Bo>- 1 &lt; 2 &amp; 3
- <c.loud>Yes</c>
`

describe('WebVTT', () => {
  test('becomes SubRip: numbered, with names, without markup, styles and empty cues', async () => {
    expect(convertTranscript(interview, 'srt')).toBe(`1
00:00:59,999 --> 00:01:00,000
Ada Tone: Good evening,

2
00:01:00,000 --> 10:00:00,000
Ada Tone: everyone.

3
00:01:01,500 --> 00:01:03,000
Bo: - 1 < 2 & 3
- Yes
`)
  })

  test('becomes text, with a name where it changes', async () => {
    expect(convertTranscript(interview, 'txt')).toBe('Ada Tone: Good evening,\neveryone.\nBo: - 1 < 2 & 3\n- Yes')
  })
})

test('SubRip becomes WebVTT that a parser reads again, cue by cue', async () => {
  const subrip = Array.from(
    { length: 500 },
    (_, at) => `${at + 1}\n00:00:${String(at % 60).padStart(2, '0')},250 --> 00:01:00,750\n<i>A & B</i> < ${at}\n`,
  ).join('\n')
  const vtt = convertTranscript(subrip, 'vtt') ?? ''
  const { cues, errors } = await parseText(vtt, { type: 'vtt', strict: true })
  expect(errors).toEqual([])
  expect(cues).toHaveLength(500)
  expect(cues[0]).toMatchObject({ startTime: 0.25, endTime: 60.75, text: 'A &amp; B &lt; 0' })
})

test.each(['\n\n', '\r\n\r\n', '\r\r', '\n \t\n', '\n\n\n'])('cues end with an empty line: %j', (end) => {
  const subrip = `1\n00:00:01,000 --> 00:00:02,000\nLa${end}2\n00:00:03,000 --> 00:00:04,000\nlo`
  expect(convertTranscript(subrip, 'txt')).toBe('La\nlo')
})

test('text without times has no other form', () => {
  expect(convertTranscript('La\n\nla', 'txt')).toBe('La\n\nla')
  for (const form of ['vtt', 'srt'] as const) expect(convertTranscript('La\n\nla', form)).toBeNull()
})

test.each([
  ['WEBVTT\n\n1:2:3 --> nowhere\nLa', 'srt', ''],
  ['1\n00:00:01,000 --> x\nLa', 'vtt', 'WEBVTT\n'],
] as const)(
  '%p without a readable cue has none in another form, and stays as it is as text',
  async (broken, to, text) => {
    expect(convertTranscript(broken, to)).toBe(text)
    expect(convertTranscript(broken, 'txt')).toBe(broken)
  },
)

const cue = '00:00:00.000 --> 00:00:01.000'
test.each([
  [
    'spaces between times',
    `WEBVTT\n\n00:00:00.000${' '.repeat(250_000)}-->${' '.repeat(250_000)}00:00:01.000\nLa`,
    'La',
  ],
  ['a voice of spaces', `WEBVTT\n\n${cue}\n<v ${' '.repeat(500_000)}La`, `<v ${' '.repeat(500_000)}La`],
  ['brackets', `WEBVTT\n\n${cue}\n${'<'.repeat(500_000)}`, '<'.repeat(500_000)],
  ['lines of spaces', `WEBVTT\n\n${cue}\nLa${`\n${' '.repeat(1000)}`.repeat(500)}x`, 'La'],
  ['empty lines', `WEBVTT\n\n${cue}\nLa${'\n'.repeat(500_000)}`, 'La'],
])('the longest transcription of %s is converted in the time of its length', (_, transcription, text) => {
  expect(convertTranscript(transcription, 'txt')).toBe(text)
})
