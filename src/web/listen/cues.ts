import { parseText } from 'media-captions'

/** A part of a transcription that is said from its start on. */
export interface Cue {
  startSeconds: number
  endSeconds: number
  /** Empty without a name. */
  speaker: string
  text: string
}

const SPEAKER = /^\s*<v(?:\.[^\s>]*)?[ \t]([^<>]+)>/
const TAG = /<[^<>]*>/g
/** The parser took more than a minute for a line with 500,000 of them. */
const BLANKS = /[^\S\n]{100,}/g
const ENTITY = /&(amp|lt|gt|nbsp|lrm|rlm);/g
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' }

/** Reads the cues of a transcription in the order of their times. Tags of their texts are left out. */
export async function readCues(text: string, form: 'vtt' | 'srt'): Promise<Cue[]> {
  const { cues } = await parseText(text.replace(BLANKS, ' '), { type: form })
  return cues
    .map((cue) => ({
      startSeconds: cue.startTime,
      endSeconds: cue.endTime,
      speaker: SPEAKER.exec(cue.text)?.[1]?.trim() ?? '',
      text: cue.text.replace(TAG, '').replace(ENTITY, (_, name: string) => entities[name] ?? ''),
    }))
    .sort((one, other) => one.startSeconds - other.startSeconds)
}
