import type { Batch, Variant } from '../../platform/db/generated/client/client.ts'
import { builder, findType } from '../../platform/graphql/builder.ts'
import { idArgument, omitNulls, parseCreation } from '../../platform/graphql/input.ts'
import { reloaded } from '../../platform/graphql/payload.ts'
import { createPlan } from '../../platform/graphql/plan.ts'
import { parseId } from '../../platform/schema/parse.ts'
import { administratorScope, permitted, writeScope } from '../access/viewer.ts'
import { VariantTypeEnum } from '../variant/graphql.ts'
import { createVariantInput, variantFields, variantTypeShape } from '../variant/record.ts'
import { allParameters, soundParameters } from '../variant/types/graphql.ts'
import './batch/graphql.ts'
import './job/graphql.ts'
import './rebuild/graphql.ts'
import './transcription/graphql.ts'
import { getBatch } from './batch/service.ts'
import { createVariant } from './create-variant.ts'
import { addTrackVariant } from './service.ts'

const AddTrackVariantInput = builder.inputType('AddTrackVariantInput', {
  description: 'A variant for one processed track: a lossy transcode or preview.',
  fields: (t) => ({
    variantTypeId: t.string({ required: true, description: '`transcode` or `preview`.' }),
    index: t.string({ required: true, description: variantFields.index.description }),
    ...soundParameters(t),
  }),
})

const AddTrackVariantPayload = builder
  .objectRef<{ variant: Variant; jobId: string }>('AddTrackVariantPayload')
  .implement({
    description: 'The variant and the job that makes its file.',
    fields: (t) => ({
      variant: t.field({ description: 'The new variant.', ...reloaded('Variant', ({ variant }) => variant.id) }),
      jobId: t.exposeID('jobId', { description: 'ID of the job that makes its file.' }),
      job: t.field({ description: 'The job that makes its file.', ...reloaded('Job', ({ jobId }) => jobId) }),
    }),
  })

builder.mutationField('addTrackVariant', (t) =>
  t.field({
    type: AddTrackVariantPayload,
    description:
      'Adds a variant to one processed track and queues its file. The track is `PROCESSING` until the file is made.',
    args: {
      trackId: idArgument('track'),
      input: t.arg({ type: AddTrackVariantInput, required: true, description: 'The new variant.' }),
    },
    resolve: permitted(writeScope, (_, { trackId, input }, ctx) =>
      addTrackVariant(ctx, parseId('trackId', trackId), omitNulls(input)),
    ),
  }),
)

const CreateVariantInput = builder.inputType('CreateVariantInput', {
  description: 'A new organization-wide variant. Parameters of other types are rejected.',
  fields: (t) => ({
    variantTypeId: t.field({ type: VariantTypeEnum, required: true, description: variantTypeShape.description }),
    index: t.string({ required: true, description: variantFields.index.description }),
    applyToExisting: t.boolean({
      description: 'Whether to start a batch that makes its file for existing tracks. Defaults to false.',
    }),
    ...allParameters(t),
  }),
})

const CreateVariantPayload = builder
  .objectRef<{ variant: Variant; batch: Batch | null }>('CreateVariantPayload')
  .implement({
    description: 'The variant and the batch for existing tracks.',
    fields: (t) => ({
      variant: t.field({ description: 'The new variant.', ...reloaded('Variant', ({ variant }) => variant.id) }),
      batch: t.field({
        type: findType('Batch'),
        nullable: true,
        description: 'The batch for existing tracks. Null without `applyToExisting`.',
        resolve: ({ batch }, _, ctx, info) => batch && getBatch(ctx, batch.id, { plan: createPlan(info, ctx) }),
      }),
    }),
  })

builder.mutationField('createVariant', (t) =>
  t.field({
    type: CreateVariantPayload,
    description: 'Adds an organization-wide variant. Every later upload gets its file. Administrators only.',
    args: { input: t.arg({ type: CreateVariantInput, required: true, description: 'The new variant.' }) },
    resolve: permitted(
      administratorScope,
      (_, { input: { variantTypeId, index, applyToExisting, ...parameters } }, ctx) =>
        createVariant(
          ctx,
          parseCreation(createVariantInput, { variantTypeId, index, applyToExisting }),
          omitNulls(parameters),
        ),
    ),
  }),
)
