import { builder, present, written } from '../../platform/builder.ts'
import type { Variant } from '../../platform/db/generated/client/client.ts'
import { addTrackVariant } from './service.ts'

const AddTrackVariantInput = builder.inputType('AddTrackVariantInput', {
  description: 'A variant for one processed track: a lossy transcode or preview.',
  fields: (t) => ({
    variantTypeId: t.string({ required: true, description: '`transcode` or `preview`.' }),
    index: t.string({ required: true, description: 'Delivery name: 2-64 of letters, digits, _ and -.' }),
    codec: t.string({ description: '`aac` (default), `mp3`, `ogg`, `opus`.' }),
    bitrate: t.float({ description: 'kbps, 12-320; 128 unless told.' }),
    isStereo: t.boolean({ description: 'False mixes down to mono.' }),
    isStripTags: t.boolean({ description: 'Whether the tags of the recording are left out; true unless told.' }),
    isStripCover: t.boolean({ description: 'Whether an embedded cover is left out; true unless told.' }),
    previewType: t.string({ description: '`seconds` (default) or `percent`: how the length is measured.' }),
    previewSeconds: t.float({ description: '60 unless told.' }),
    previewMinPercent: t.float({ description: '0-100; 0 unless told.' }),
    previewMaxPercent: t.float({ description: '0-100; 50 unless told.' }),
    previewPercent: t.float({ description: '0-100; 25 unless told.' }),
    previewMinSeconds: t.float({ description: '0 unless told.' }),
    previewMaxSeconds: t.float({ description: '90 unless told.' }),
    previewStartPercent: t.float({ description: '0-100; 25 unless told.' }),
  }),
})

const AddTrackVariantPayload = builder
  .objectRef<{ variant: Variant; jobId: string }>('AddTrackVariantPayload')
  .implement({
    description: 'Holds the variant, and the job that makes its file.',
    fields: (t) => ({
      variant: t.field({ description: 'The new variant.', ...written('Variant', ({ variant }) => variant.id) }),
      jobId: t.exposeID('jobId', { description: 'UUID of the job that makes its file.' }),
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
    resolve: (_, { trackId, input }, ctx) => addTrackVariant(ctx, trackId, present(input)),
  }),
)
