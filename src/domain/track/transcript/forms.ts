import type { TranscriptForm } from '../../../platform/db/generated/client/enums.ts'

/** Length of the beginning that tells the form, in characters. */
export const TRANSCRIPT_HEAD = 64

const WEBVTT = /^\uFEFF?WEBVTT(?:[ \t\r\n]|$)/
/** The number of the first cue, and the line with its times. */
const SUBRIP = /^\uFEFF?\s{0,8}\d{1,9}[ \t]*\r?\n\d{1,3}:\d{2}:\d{2}[,.]\d{3}[ \t]+-->/

/** Returns the form of a transcription. @param head its first characters, at least TRANSCRIPT_HEAD of a longer one */
export function readTranscriptForm(head: string): TranscriptForm {
  if (WEBVTT.test(head)) return 'vtt'
  return SUBRIP.test(head) ? 'srt' : 'txt'
}

/** The forms that a transcription is offered in: with times it has two, and both are text, too. */
export const listTranscriptForms = (form: TranscriptForm): readonly TranscriptForm[] =>
  form === 'txt' ? ['txt'] : [form, form === 'vtt' ? 'srt' : 'vtt']

/**
 * Writes a transcription in a form.
 * @returns the transcription itself when it has the form, or no cue of it can be read as text. Null for a form with times when
 *   it has none
 * @see https://www.w3.org/TR/webvtt1/
 */
export function convertTranscript(transcription: string, to: TranscriptForm): string | null {
  const form = readTranscriptForm(transcription.slice(0, TRANSCRIPT_HEAD))
  if (form === to) return transcription
  if (form === 'txt') return null
  const cues = parseCues(transcription)
  return cues.length === 0 && to === 'txt' ? transcription : writers[to](cues)
}

/** A text that is said at a time. */
export interface TranscriptCue {
  startSeconds: number
  endSeconds: number
  /** Empty without a name. */
  speaker: string
  /** Without markup and empty lines. */
  text: string
}

/** The voice of WebVTT. */
const SPEAKER = /^\s*<v(?:\.[^\s>]*)?[ \t]([^<>]+)>/
const TAG = /<[^<>]*>/g
const ENTITY = /&(amp|lt|gt|nbsp|lrm|rlm);/g
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' }
const decoded = (text: string) => text.replace(ENTITY, (_, name: string) => entities[name] ?? '')
const encoded = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The times of a cue, with what WebVTT may have after them. Hours may be missing there. */
const SPAN =
  /^(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{3})[ \t]+-->[ \t]+(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{3})(?:[ \t]|$)/

/**
 * Cues with text, in the order of their times. A part between empty lines is a cue if its first or second line has times. By our
 * own code: media-captions, which pages use, took more than a minute for times with 500,000 spaces between them.
 */
export function parseCues(transcription: string): TranscriptCue[] {
  return transcription
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .flatMap((part) => {
      const lines = part.split('\n')
      const at = lines.slice(0, 2).findIndex((line) => SPAN.test(line))
      return at < 0 ? [] : readCue(SPAN.exec(lines[at] ?? '') ?? [], lines.slice(at + 1))
    })
    .sort((one, other) => one.startSeconds - other.startSeconds)
}

/** @param span match of SPAN */
function readCue(span: readonly string[], lines: readonly string[]): TranscriptCue[] {
  const toSeconds = (from: number) => {
    const [hours = 0, minutes = 0, seconds = 0, ms = 0] = span
      .slice(from, from + 4)
      .map((digits = '0') => Number(digits))
    return hours * 3600 + minutes * 60 + seconds + ms / 1000
  }
  const texts = lines.map((line) => decoded(line.replace(TAG, '')).trim()).filter(Boolean)
  if (texts.length === 0) return []
  const speaker = decoded(SPEAKER.exec(lines[0] ?? '')?.[1]?.trim() ?? '')
  return [{ startSeconds: toSeconds(1), endSeconds: toSeconds(5), speaker, text: texts.join('\n') }]
}

/** Hours, minutes, seconds and milliseconds. @param separator before the milliseconds */
function writeTime(seconds: number, separator: string): string {
  const ms = Math.round(seconds * 1000)
  const digits = (value: number, count = 2) => String(Math.floor(value)).padStart(count, '0')
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((value) => digits(value)).join(':')
  return `${clock}${separator}${digits(ms % 1000, 3)}`
}

const writeSpan = ({ startSeconds, endSeconds }: TranscriptCue, separator: string) =>
  `${writeTime(startSeconds, separator)} --> ${writeTime(endSeconds, separator)}`

const named = ({ speaker, text }: TranscriptCue) => (speaker ? `${speaker}: ${text}` : text)

/** Writes cues as WebVTT. */
export const writeWebVtt = (cues: readonly TranscriptCue[]): string => writers.vtt(cues)

const writers: Record<TranscriptForm, (cues: readonly TranscriptCue[]) => string> = {
  vtt: (cues) => ['WEBVTT\n', ...cues.map((cue) => `${writeSpan(cue, '.')}\n${encoded(cue.text)}\n`)].join('\n'),
  srt: (cues) => cues.map((cue, at) => `${at + 1}\n${writeSpan(cue, ',')}\n${named(cue)}\n`).join('\n'),
  // A name is written where it changes.
  txt: (cues) => cues.map((cue, at) => (cue.speaker === cues[at - 1]?.speaker ? cue.text : named(cue))).join('\n'),
}
