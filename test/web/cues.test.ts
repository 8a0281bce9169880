import { expect, test } from 'bun:test'
import { writeWebVtt } from '../../src/domain/track/transcript/forms.ts'
import { readCues } from '../../src/web/listen/cues.ts'
import { writeCues } from '../../src/web/listen/write-cues.ts'

test('cues have a start, a name and a text without markup', async () => {
  const text = 'WEBVTT\n\n00:01.500 --> 00:02.000\n<v Ada Tone>1 &lt; <b>2</b>\n'
  expect(await readCues(text, 'vtt')).toEqual([
    { startSeconds: 1.5, endSeconds: 2, speaker: 'Ada Tone', text: '1 < 2' },
  ])
})

const blanks = ' '.repeat(500_000)
test.each([
  ['between times', `WEBVTT\n\n00:01.000 --> ${blanks}00:02.000\nLa`, 'La'],
  ['before an arrow', `WEBVTT\n\n00:01.000 --> 00:02.000\nLa\n\n00:03.000${blanks}-->x`, 'La'],
  ['in a voice', `WEBVTT\n\n00:01.000 --> 00:02.000\n<v ${blanks}La`, '<v La'],
])('500,000 blanks %s do not stop the page', async (_, transcription, text) => {
  expect((await readCues(transcription, 'vtt')).map((cue) => cue.text)).toEqual([text])
})

test('cues are written as the service writes them, so that an edit changes the edited texts only', async () => {
  const cues = [
    { startSeconds: 0.001, endSeconds: 59.9995, speaker: '', text: 'a & b < c --> d' },
    { startSeconds: 3599.5, endSeconds: 3661.25, speaker: '', text: 'two\nlines' },
  ]
  const written = writeWebVtt(cues)
  expect(writeCues(await readCues(written, 'vtt'))).toBe(written)
  const voice = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ada>Good evening\n'
  expect(writeCues(await readCues(voice, 'vtt'))).toBe(voice)
})

test('an edited cue keeps its time, and one without a text is left out', async () => {
  const cue = { startSeconds: 1, endSeconds: 2, speaker: '' }
  const written = writeCues([
    { ...cue, text: ' one\n \n\ntwo ' },
    { ...cue, text: ' \n' },
  ])
  expect(written).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\none\ntwo\n')
  expect(await readCues(written, 'vtt')).toHaveLength(1)
})
