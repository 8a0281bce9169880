import { z } from 'zod'
import type { Translation } from '../../../platform/db/generated/client/client.ts'
import { TranscriptForm } from '../../../platform/db/generated/client/enums.ts'
import { choice, createdAt, id, languageTag, text, updatedAt } from '../../../platform/schema/fields.ts'
import { createShape, restShape, toRest } from '../../../platform/schema/record.ts'
import { MAX_TRANSCRIPTION, trackId } from '../record.ts'

/** Translations of a track. */
export const MAX_TRANSLATIONS = 20

const language = languageTag({ description: 'Language as a BCP 47 tag.', required: true, inputs: ['create'] })

/** Returns the canonical form of a tag, as translations have it. Null for any other text. */
export const readLanguageTag = (text: string): string | null => language.rule.safeParse(text).data ?? null

/** A translation, as lists show it. */
export const listedTranslationFields = {
  id: id({ description: 'ID of the translation. UUID.' }),
  language,
  form: choice('TranscriptForm', TranscriptForm, { description: 'Form of its text.' }),
  createdAt,
  updatedAt,
}
export const translationFields = {
  ...listedTranslationFields,
  text: text({
    description:
      'What is said in the recording, in this language: plain text, WebVTT or SubRip, as of `transcription`.',
    max: MAX_TRANSCRIPTION,
    example: 'La la la',
    required: true,
    inputs: ['create'],
  }),
}

export const translationDescription =
  'The transcription of a track in another language. Listeners choose it on the page of a share link, feeds offer it next to the ' +
  'transcription, and searches for words find it.'
export const listedTranslationShape = z
  .object(restShape(listedTranslationFields))
  .meta({ id: 'ListedTranslation', description: 'A translation in a list: without its text.' })
export const translationShape = z
  .object(restShape(translationFields))
  .meta({ id: 'Translation', description: translationDescription })

export const setTranslationInput = z.object(createShape(translationFields))
/** Of /v1, where the path has the language. */
export const translationTextInput = setTranslationInput.pick({ text: true })
export const translationKey = trackId.extend(setTranslationInput.pick({ language: true }).shape)

/** Columns of a translation that clients see. */
export type TranslationText = Omit<Translation, 'trackId'>
export const toListedTranslation = (translation: Omit<TranslationText, 'text'>) =>
  toRest(listedTranslationFields, translation)
export const toRestTranslation = (translation: TranslationText) => toRest(translationFields, translation)
