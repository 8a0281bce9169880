import type { Context } from '../../../platform/context.ts'
import type { TranscriptForm, Translation } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, inputArgument } from '../../../platform/graphql/input.ts'
import { related } from '../../../platform/graphql/page.ts'
import { definePayload } from '../../../platform/graphql/payload.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { type Price, withPrice } from '../../../platform/graphql/price.ts'
import { expose, inputFields } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { permitted, writeScope } from '../../access/viewer.ts'
import { convertTranscript } from '../transcript/forms.ts'
import { TRANSCRIPT_POINTS, transcriptFormArgument } from '../transcript/graphql.ts'
import {
  MAX_TRANSLATIONS,
  readLanguageTag,
  setTranslationInput,
  translationDescription,
  translationFields,
  translationKey,
} from './record.ts'
import { byLanguage, deleteTranslation, setTranslation } from './service.ts'

export const TranslationObject = builder.objectRef<Translation>('Translation').implement({
  description: translationDescription,
  fields: (t) => ({
    ...expose(t, translationFields),
    transcript: t.string({
      nullable: true,
      description: 'The text in a form. Null for a form with times when it has none.',
      args: transcriptFormArgument,
      ...withPrice(needsColumns('text'), { points: TRANSCRIPT_POINTS, isLong: true }),
      resolve: ({ text }, { form }: { form: TranscriptForm }) => convertTranscript(text, form),
    }),
  }),
})

/** Translations of a track in a price. */
const USUAL_TRANSLATIONS = 5
const description = `Its transcription in other languages, in the order of their tags. At most ${MAX_TRANSLATIONS}.`
const languageFilter = builder.args((t) => ({
  language: t.string({ description: 'BCP 47 tag of one language. Defaults to all.' }),
}))
const price: Price = {
  items: USUAL_TRANSLATIONS,
  itemsByArguments: ({ language }) => (typeof language === 'string' ? 1 : USUAL_TRANSLATIONS),
}
/** Condition of a translation by the argument of a list. No translation has a text that is no tag. */
const inLanguage = (tag: unknown) => (typeof tag === 'string' ? { language: readLanguageTag(tag) ?? '' } : {})

/** Options of the `translations` field of a track that a session plays. */
export const playedTranslationsField = {
  type: [TranslationObject] as [typeof TranslationObject],
  description,
  args: languageFilter,
  extensions: { price },
  resolve: (trackId: string, { language }: { language?: string | null }, ctx: Context) =>
    ctx.db.translation.findMany({ where: { trackId, ...inLanguage(language) }, orderBy: byLanguage }),
}

builder.prismaObjectFields('Track', (t) => ({
  translations: t.field({
    type: [TranslationObject],
    description,
    args: languageFilter,
    ...withPrice(
      related('translations', (_, { language }) => ({ where: inLanguage(language), orderBy: [byLanguage] })),
      price,
    ),
  }),
}))

const SetTranslationInput = builder.inputType('SetTranslationInput', {
  description: 'A translation.',
  fields: (t) => inputFields(t, translationFields, 'create'),
})

interface TranslationPayload {
  id: string
  translation: Translation
}

const translationPayload = (mutation: string, field: 'translation' | 'deletedTranslation', fieldDescription: string) =>
  definePayload<TranslationPayload>(mutation, 'track', 'Track', {
    description: 'The track and its translation.',
    more: (t) => ({
      [field]: t.field({
        type: TranslationObject,
        description: fieldDescription,
        resolve: ({ translation }) => translation,
      }),
    }),
  })

const languageArgument = builder.args((t) => ({
  language: t.string({ required: true, description: 'Language as a BCP 47 tag.' }),
})).language

builder.mutationFields((t) => ({
  setTranslation: t.field({
    type: translationPayload('SetTranslation', 'translation', 'The translation after the change.'),
    description:
      'Sets the transcription of a track in another language, or replaces it. A track has at most ' +
      `${MAX_TRANSLATIONS}: \`limit_reached\`.`,
    args: { trackId: idArgument('track'), input: inputArgument(SetTranslationInput, 'The translation.') },
    resolve: permitted(writeScope, async (_, { trackId, input }, ctx) => {
      const id = parseId('trackId', trackId)
      return { id, translation: await setTranslation(ctx, id, parse(setTranslationInput, input)) }
    }),
  }),
  deleteTranslation: t.field({
    type: translationPayload('DeleteTranslation', 'deletedTranslation', 'The translation before its deletion.'),
    description: 'Deletes the translation of a track into a language.',
    args: { trackId: idArgument('track'), language: languageArgument },
    resolve: permitted(writeScope, async (_, args, ctx) => {
      const { trackId: id, language } = parse(translationKey, args)
      return { id, translation: await deleteTranslation(ctx, id, language) }
    }),
  }),
}))
