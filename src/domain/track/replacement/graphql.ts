import type { Track } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument } from '../../../platform/graphql/input.ts'
import { related } from '../../../platform/graphql/page.ts'
import { definePayload } from '../../../platform/graphql/payload.ts'
import { needs, needsColumns, readWith } from '../../../platform/graphql/plan.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { permitted, writeScope } from '../../access/viewer.ts'
import { TrackStatusEnum } from '../graphql.ts'
import { infoField } from '../recording/graphql.ts'
import {
  formerRecordingDescription,
  formerRecordingFields,
  REPLACEMENT_PROGRESS,
  readSourceName,
  replacementDescription,
  replacementFields,
  toFormerRecording,
} from './record.ts'
import {
  cancelReplacement,
  isReplacing,
  latestCreated,
  latestReplaced,
  MAX_FORMER,
  restorableRecordings,
  restoreRecording,
} from './service.ts'

const nameColumns = ['fileName', 'sourceName', 'fileNameOriginal']
const { id, statusCode, statusText, createdAt } = replacementFields

/** A new recording, as GraphQL shows it. */
export const Replacement = builder.objectRef<Track>('TrackReplacement').implement({
  description: replacementDescription,
  fields: (t) => ({
    ...expose(t, { id, statusCode, statusText, createdAt }),
    fileName: t.string({
      description: replacementFields.fileName.description,
      ...needsColumns(...nameColumns),
      resolve: readSourceName,
    }),
    status: t.expose('status', {
      type: TrackStatusEnum,
      description: 'State of its upload and processing. In the state `INIT_ERROR` or `ERROR` it has failed.',
    }),
    progressPercent: t.exposeInt('progress', { description: REPLACEMENT_PROGRESS }),
  }),
})

const FormerRecording = builder.objectRef<Track>('FormerRecording').implement({
  description: formerRecordingDescription,
  fields: (t) => ({
    ...expose(t, { id: formerRecordingFields.id }),
    fileName: t.string({
      description: formerRecordingFields.fileName.description,
      ...needsColumns(...nameColumns),
      resolve: readSourceName,
    }),
    duration: t.exposeFloat('durationSeconds', {
      nullable: true,
      description: formerRecordingFields.duration.description,
    }),
    sourceBytes: t.float({
      description: formerRecordingFields.sourceBytes.description,
      ...needsColumns('sourceBytes'),
      resolve: ({ sourceBytes }) => Number(sourceBytes ?? 0),
    }),
    info: t.field(infoField),
    replacedAt: t.field({
      type: 'DateTime',
      description: formerRecordingFields.replacedAt.description,
      ...needsColumns('replacedAt'),
      resolve: readReplacedAt,
    }),
    restorableUntil: t.field({
      type: 'DateTime',
      description: formerRecordingFields.restorableUntil.description,
      ...needsColumns('replacedAt', ...nameColumns),
      resolve: (row, _, ctx) => toFormerRecording(ctx, row).restorableUntil,
    }),
  }),
})

function readReplacedAt({ replacedAt }: Pick<Track, 'replacedAt'>): Date {
  if (!replacedAt) throw new Error('the recording was not replaced')
  return replacedAt
}

builder.prismaObjectFields('Track', (t) => ({
  replacement: t.field({
    type: Replacement,
    nullable: true,
    description: 'The new recording that is being uploaded or processed, or that failed. Null without one.',
    ...needs({
      also: {
        $replacement: {
          relation: 'replacements',
          args: { orderBy: latestCreated, take: 1 },
          columns: ['id', ...nameColumns, 'status', 'progress', 'statusCode', 'statusText', 'createdAt', 'replacedAt'],
        },
      },
    }),
    resolve: (track) => readWith<Track[] | undefined>(track, '$replacement')?.find(isReplacing) ?? null,
  }),
  formerRecordings: t.field({
    type: [FormerRecording],
    description: `Recordings that the track had before and that can be restored, the latest first. At most ${MAX_FORMER}.`,
    ...withPrice(
      related('replacements', (ctx) => ({
        where: restorableRecordings(ctx),
        orderBy: latestReplaced,
        take: MAX_FORMER,
      })),
      { items: 5 },
    ),
  }),
}))

builder.mutationFields((t) => ({
  cancelReplacement: t.field({
    type: definePayload<{ id: string; replacement: Track }>('CancelReplacement', 'track', 'Track', {
      more: (payload) => ({
        replacement: payload.field({
          type: Replacement,
          description: 'The replacement as it was.',
          resolve: ({ replacement }) => replacement,
        }),
      }),
    }),
    description:
      'Cancels the replacement of the recording of a track, or dismisses one that failed. The track stays as it is.',
    args: { trackId: idArgument('track') },
    resolve: permitted(writeScope, async (_, { trackId }, ctx) => {
      const parsedId = parseId('trackId', trackId)
      return { id: parsedId, replacement: await cancelReplacement(ctx, parsedId) }
    }),
  }),
  restoreRecording: t.field({
    type: definePayload('RestoreRecording', 'track', 'Track'),
    description:
      'Gives a track a former recording again, with its files. The current recording becomes a former one. Addresses, ' +
      'keys, names and plays stay.',
    args: {
      trackId: idArgument('track'),
      recordingId: t.arg.id({ required: true, description: formerRecordingFields.id.description }),
    },
    resolve: permitted(writeScope, (_, { trackId, recordingId }, ctx) =>
      restoreRecording(ctx, parseId('trackId', trackId), parseId('recordingId', recordingId)),
    ),
  }),
}))
