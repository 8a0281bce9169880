import { expect, test } from 'bun:test'
import { readCues } from '../../src/web/listen/cues.ts'

test('cues have a start, a name and a text without markup', async () => {
  const text = 'WEBVTT\n\n00:01.500 --> 00:02.000\n<v Ada Tone>1 &lt; <b>2</b>\n'
  expect(await readCues(text, 'vtt')).toEqual([{ startSeconds: 1.5, speaker: 'Ada Tone', text: '1 < 2' }])
})

const blanks = ' '.repeat(500_000)
test.each([
  ['between times', `WEBVTT\n\n00:01.000 --> ${blanks}00:02.000\nLa`, 'La'],
  ['before an arrow', `WEBVTT\n\n00:01.000 --> 00:02.000\nLa\n\n00:03.000${blanks}-->x`, 'La'],
  ['in a voice', `WEBVTT\n\n00:01.000 --> 00:02.000\n<v ${blanks}La`, '<v La'],
])('500,000 blanks %s do not stop the page', async (_, transcription, text) => {
  expect((await readCues(transcription, 'vtt')).map((cue) => cue.text)).toEqual([text])
})
