import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, parseCreation } from '../../../platform/graphql/input.ts'
import { definePayload } from '../../../platform/graphql/payload.ts'
import { needs, needsColumns, readWith } from '../../../platform/graphql/plan.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { permitted, writeScope } from '../../access/viewer.ts'
import { readQuota, type TranscriptionQuota } from './quota.ts'
import { LANGUAGE_DESCRIPTION, PROMPT_DESCRIPTION, transcribeTrackInput } from './record.ts'
import { cancelTranscription, transcribeTrack } from './request.ts'

const TranscribeTrackInput = builder.inputType('TranscribeTrackInput', {
  description: 'What helps the recognition of speech.',
  fields: (t) => ({
    language: t.string({ description: LANGUAGE_DESCRIPTION }),
    prompt: t.string({ description: PROMPT_DESCRIPTION }),
  }),
})

builder.mutationFields((t) => ({
  transcribeTrack: t.field({
    type: definePayload('TranscribeTrack', 'job', 'Job', {
      description: 'The job that transcribes the track.',
      fieldDescription: 'The new job, or the one that waits or runs.',
    }),
    description:
      'Transcribes what is said in a track with the speech recognition of the service, as WebVTT. It replaces a transcription that ' +
      'was made before, and none that was set: `transcription_set`. Recordings of up to 6 hours. The end has an event.',
    args: {
      id: idArgument('track'),
      input: t.arg({ type: TranscribeTrackInput, description: 'Defaults to those of the track and the service.' }),
    },
    resolve: permitted(writeScope, async (_, { id, input }, ctx) => ({
      id: await transcribeTrack(ctx, parseId('trackId', id), parseCreation(transcribeTrackInput, input)),
    })),
  }),
  cancelTranscription: t.field({
    type: definePayload('CancelTranscription', 'track', 'Track'),
    description:
      'Cancels the transcription of a track that waits or runs. Does nothing without one. What was transcribed until then counts.',
    args: { id: idArgument('track') },
    resolve: permitted(writeScope, (_, { id }, ctx) => cancelTranscription(ctx, parseId('trackId', id))),
  }),
}))

const TranscriptionQuotaObject = builder.objectRef<TranscriptionQuota>('TranscriptionQuota').implement({
  description: 'Sound that an organization may transcribe in the current calendar month, UTC.',
  fields: (t) => ({
    maxSeconds: t.exposeFloat('maxSeconds', { description: 'The limit: TRANSCRIBE_MAX_HOURS, in seconds.' }),
    usedSeconds: t.exposeFloat('usedSeconds', { description: 'What was transcribed, and what is queued.' }),
  }),
})

builder.prismaObjectField('Organization', 'transcriptionQuota', (t) =>
  t.field({
    type: TranscriptionQuotaObject,
    nullable: true,
    description: 'Its transcriptions of this month. Null on a service without speech recognition.',
    // Two statements for each organization.
    ...withPrice(needsColumns('id'), { points: 20 }),
    resolve: ({ id }, _, ctx) => readQuota(ctx, id),
  }),
)

interface TranscriptionProgress {
  doneSeconds: number
  recordingSeconds: number
}

const TranscriptionProgressObject = builder.objectRef<TranscriptionProgress>('TranscriptionProgress').implement({
  description: 'Progress of a transcription.',
  fields: (t) => ({
    doneSeconds: t.exposeFloat('doneSeconds', { description: 'Seconds of the recording that are transcribed.' }),
    recordingSeconds: t.exposeFloat('recordingSeconds', { description: 'Length of the recording in seconds.' }),
  }),
})

builder.prismaObjectField('Job', 'transcriptionProgress', (t) =>
  t.field({
    type: TranscriptionProgressObject,
    nullable: true,
    description: 'Its progress. Null for any other kind than `TRANSCRIBE_TRACK`.',
    ...needs({
      columns: ['id'],
      also: {
        $transcription: { relation: 'transcription', columns: ['id', 'doneSeconds', 'recordingSeconds'] },
      },
    }),
    resolve: (job) => readWith<TranscriptionProgress | null>(job, '$transcription'),
  }),
)
