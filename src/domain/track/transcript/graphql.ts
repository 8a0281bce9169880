import { z } from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { TranscriptForm } from '../../../platform/db/generated/client/enums.ts'
import { builder, defineEnum } from '../../../platform/graphql/builder.ts'
import { omitNulls } from '../../../platform/graphql/input.ts'
import { needs, needsColumns, readWith } from '../../../platform/graphql/plan.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { parse } from '../../../platform/schema/parse.ts'
import { requiredTextRule } from '../../../platform/schema/rules.ts'
import { convertTranscript } from './forms.ts'
import { findHits, findTranslation, type HitPart, MAX_HITS, type TranscriptHit } from './hits.ts'

const TranscriptFormEnum = defineEnum<TranscriptForm>('TranscriptForm', 'Form of a transcription.', {
  vtt: 'WebVTT.',
  srt: 'SubRip.',
  txt: 'Text without times. A name is written where it changes.',
})
/** The longest transcription takes about 40 ms of a core. */
export const TRANSCRIPT_POINTS = 500
export const transcriptFormArgument = builder.args((t) => ({
  form: t.field({ type: TranscriptFormEnum, required: true, description: 'The form.' }),
}))

interface Columns {
  id: string
  organizationId: string
  transcription: string | null
  transcriptionLanguage: string | null
}

/** Options of the `transcript` field. */
export const transcriptField = {
  type: 'String' as const,
  nullable: true as const,
  description: 'The transcription in a form. Null without one, and for a form with times when it has none.',
  args: transcriptFormArgument,
  ...withPrice(needsColumns('transcription'), { points: TRANSCRIPT_POINTS, isLong: true }),
  resolve: ({ transcription }: Columns, { form }: { form: TranscriptForm }) =>
    transcription && convertTranscript(transcription, form),
}

const HitPartObject = builder.objectRef<HitPart>('TranscriptHitPart').implement({
  description: 'A piece of a passage.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Its text, with the spaces around words.' }),
    isMatch: t.exposeBoolean('isMatch', { description: 'Whether it consists of words of the search.' }),
  }),
})

const NULL_WITHOUT_TIMES = 'Null in a transcription without times.'
/** Pieces of a passage that has two or three words of a search. */
const USUAL_PARTS = 6

const TranscriptHitObject = builder.objectRef<TranscriptHit>('TranscriptHit').implement({
  description: 'A passage of a transcript that has words of a search.',
  fields: (t) => ({
    startSeconds: t.exposeFloat('startSeconds', {
      nullable: true,
      description: `Its start in the recording. ${NULL_WITHOUT_TIMES}`,
    }),
    endSeconds: t.exposeFloat('endSeconds', {
      nullable: true,
      description: `Its end in the recording. ${NULL_WITHOUT_TIMES}`,
    }),
    speaker: t.exposeString('speaker', { nullable: true, description: 'Who says it. Null when it is not known.' }),
    language: t.exposeString('language', {
      nullable: true,
      description: 'Language of the transcript as a BCP 47 tag. Null when not set.',
    }),
    parts: t.field({
      type: [HitPartObject],
      description: 'Its text of at most 200 characters, in pieces.',
      extensions: { price: { items: USUAL_PARTS } },
      resolve: ({ parts }) => parts,
    }),
  }),
})

const DEFAULT_HITS = 3
const hitsInput = z.object({
  search: requiredTextRule(200),
  first: z.number().int().min(1).max(MAX_HITS).default(DEFAULT_HITS),
})
/** The words of an hour of speech take about 20 ms of the database. */
const HITS_POINTS = 300

const TRANSLATED = '$translated'

/** Options of the `transcriptHits` field. */
export const transcriptHitsField = {
  type: [TranscriptHitObject] as [typeof TranscriptHitObject],
  description:
    'The passages of the transcription that have most of the words of a search, in their order; of the first translation that has ' +
    'them all, where the transcription does not. Words match as those of the filter `transcript` of tracks. Empty without a transcript.',
  args: builder.args((t) => ({
    search: t.string({ required: true, description: 'Words, in any order. 1 to 200 characters.' }),
    first: t.int({ description: `Maximum number of passages. 1 to ${MAX_HITS}. Defaults to ${DEFAULT_HITS}.` }),
  })),
  ...withPrice(
    needs({
      columns: ['id', 'organizationId', 'transcription', 'transcriptionLanguage'],
      also: { [TRANSLATED]: { relation: 'translations', args: { take: 1 }, columns: ['id'] } },
    }),
    {
      points: HITS_POINTS,
      isLong: true,
      items: MAX_HITS,
      itemsByArguments: ({ first }) => (typeof first === 'number' ? first : DEFAULT_HITS),
    },
  ),
  resolve: async (track: Columns, args: object, ctx: Context) => {
    const { search, first } = parse(hitsInput, omitNulls(args))
    const isTranslated = readWith<unknown[]>(track, TRANSLATED).length > 0
    const translation = isTranslated ? await findTranslation(ctx, track, search) : null
    const transcript = translation ?? { text: track.transcription, language: track.transcriptionLanguage }
    return transcript.text === null ? [] : findHits(ctx, { ...transcript, text: transcript.text }, search, first)
  },
}
