import { z } from 'zod'
import { languageTag } from '../../../platform/schema/fields.ts'
import { textRule } from '../../../platform/schema/rules.ts'

const MAX_PROMPT = 1000

export const LANGUAGE_DESCRIPTION =
  "Language that is spoken, as a BCP 47 tag. Defaults to the track's `transcriptionLanguage`, then to TRANSCRIBE_LANGUAGE, then to the " +
  'one that is recognized.'
export const PROMPT_DESCRIPTION = `Names and terms in their spelling. At most ${MAX_PROMPT} characters. Defaults to TRANSCRIBE_PROMPT.`

/** A request to transcribe a track. */
export const transcribeTrackInput = z.object({
  language: languageTag({ description: LANGUAGE_DESCRIPTION, inputs: ['create'] }).rule.optional(),
  prompt: textRule(MAX_PROMPT).describe(PROMPT_DESCRIPTION).optional(),
})
export type TranscribeTrack = z.output<typeof transcribeTrackInput>

/** Reasons why a job has no transcription: its `error`, and the sentence of its event. */
export const transcriptionFailures = {
  no_speech: 'No speech was recognized in the recording.',
  transcription_limit: 'The organization has used the hours of this month.',
  transcription_too_long: 'The transcription is longer than 524,288 characters.',
  provider_refused: 'The speech recognition does not accept the recording.',
  provider_unavailable: 'The speech recognition was not available for more than a day.',
} as const
export type TranscriptionFailure = keyof typeof transcriptionFailures

/** Error of a job that was cancelled, because the track has a transcription of a client. */
export const TRANSCRIPTION_SET = 'transcription_set'
