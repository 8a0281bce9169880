/** Forms of a transcription, as endings of a file name: WebVTT (W3C), SubRip, and text without times. */
export type TranscriptForm = 'vtt' | 'srt' | 'txt'

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
