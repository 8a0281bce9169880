import type { Cue } from './cues.ts'

const encode = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Hours, minutes, seconds and milliseconds. */
function writeTime(seconds: number): string {
  const ms = Math.round(seconds * 1000)
  const digits = (value: number, count = 2) => String(Math.floor(value)).padStart(count, '0')
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((value) => digits(value))
  return `${clock.join(':')}.${digits(ms % 1000, 3)}`
}

/** Without the empty lines that would end the cue. */
const toCueText = (text: string) => text.trim().replace(/\n\s*\n/g, '\n')

/** Writes cues as WebVTT, as the service does. Those without a text are left out. */
export function writeCues(cues: readonly Cue[]): string {
  const written = cues
    .map((cue) => ({ ...cue, text: toCueText(cue.text) }))
    .filter(({ text }) => text !== '')
    .map(({ startSeconds, endSeconds, speaker, text }) => {
      const voice = speaker && `<v ${encode(speaker)}>`
      return `${writeTime(startSeconds)} --> ${writeTime(endSeconds)}\n${voice}${encode(text)}\n`
    })
  return ['WEBVTT\n', ...written].join('\n')
}
