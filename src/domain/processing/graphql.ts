import type { Batch, Variant } from '../../platform/db/generated/client/client.ts'
import { builder, omitNulls, reloaded, typeOf } from '../../platform/graphql/builder.ts'
import { planOf } from '../../platform/graphql/plan.ts'
import { VariantTypeEnum } from '../variant/graphql.ts'
import { allParameters, soundParameters } from '../variant/types/graphql.ts'
import './batch/graphql.ts'
import './job/graphql.ts'
import './rebuild/graphql.ts'
import { getBatch } from './batch/service.ts'
import { createVariant } from './create-variant.ts'
import { addTrackVariant } from './service.ts'

const AddTrackVariantInput = builder.inputType('AddTrackVariantInput', {
  description: 'A variant for one processed track: a lossy transcode or preview.',
  fields: (t) => ({
    variantTypeId: t.string({ required: true, description: '`transcode` or `preview`.' }),
    index: t.string({ required: true, description: 'Delivery name: 2-64 of letters, digits, _ and -.' }),
    ...soundParameters(t),
  }),
})

const AddTrackVariantPayload = builder
  .objectRef<{ variant: Variant; jobId: string }>('AddTrackVariantPayload')
  .implement({
    description: 'Holds the variant, and the job that makes its file.',
    fields: (t) => ({
      variant: t.field({ description: 'The new variant.', ...reloaded('Variant', ({ variant }) => variant.id) }),
      jobId: t.exposeID('jobId', { description: 'UUID of the job that makes its file.' }),
      job: t.field({ description: 'The job that makes its file.', ...reloaded('Job', ({ jobId }) => jobId) }),
    }),
  })

builder.mutationField('addTrackVariant', (t) =>
  t.field({
    type: AddTrackVariantPayload,
    description: 'Adds a variant to one processed track; the track is `PROCESSING` until its file is made.',
    args: {
      trackId: t.arg.id({ required: true, description: 'UUID of the track.' }),
      input: t.arg({ type: AddTrackVariantInput, required: true, description: 'The new variant.' }),
    },
    resolve: (_, { trackId, input }, ctx) => addTrackVariant(ctx, trackId, omitNulls(input)),
  }),
)

const CreateVariantInput = builder.inputType('CreateVariantInput', {
  description: 'A new organization-wide variant. Parameters that its kind has no use for are refused.',
  fields: (t) => ({
    variantTypeId: t.field({ type: VariantTypeEnum, required: true, description: 'Its kind; it never changes.' }),
    index: t.string({ required: true, description: 'Delivery name: 2-64 of letters, digits, _ and -.' }),
    applyToExisting: t.boolean({
      description: 'Also begins a batch that makes its file for the tracks that are there.',
    }),
    ...allParameters(t),
  }),
})

const CreateVariantPayload = builder
  .objectRef<{ variant: Variant; batch: Batch | null }>('CreateVariantPayload')
  .implement({
    description: 'Holds the variant, and the batch that was begun with it.',
    fields: (t) => ({
      variant: t.field({ description: 'The new variant.', ...reloaded('Variant', ({ variant }) => variant.id) }),
      batch: t.field({
        type: typeOf('Batch'),
        nullable: true,
        description: 'The batch for existing tracks; null unless `applyToExisting` asked for it.',
        resolve: ({ batch }, _, ctx, info) => batch && getBatch(ctx, batch.id, { plan: planOf(info, ctx) }),
      }),
    }),
  })

builder.mutationField('createVariant', (t) =>
  t.field({
    type: CreateVariantPayload,
    description: 'Adds an organization-wide variant: every upload from now on gets its file. Administrators only.',
    args: { input: t.arg({ type: CreateVariantInput, required: true, description: 'The new variant.' }) },
    resolve: (_, { input }, ctx) => createVariant(ctx, omitNulls(input)),
  }),
)
