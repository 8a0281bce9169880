import { builder, reloaded } from '../../../platform/graphql/builder.ts'
import { UploadHandleObject } from '../../access/graphql.ts'
import { uploadHandle } from '../../access/upload-handle.ts'
import { themeInput } from '../../organization/graphql.ts'
import { deleteTrack, getTrackForCover, updateTrack } from '../service.ts'

const UpdateTrackInput = builder.inputType('UpdateTrackInput', {
  description: 'Only the fields that are present are changed; null clears one that may be null.',
  fields: (t) => ({
    organizationIndex: t.string({ description: "The client's own identifier." }),
    metadata: t.field({ type: 'JSON', description: 'Replaces the whole object.' }),
    playerTitle: t.string({ description: 'Shown to listeners.' }),
    playerSubtitle: t.string({ description: 'Shown below the title.' }),
    playerColor: t.string({ description: "Hex color; null inherits the collection's." }),
    theme: t.field(themeInput),
    transcription: t.string({ description: 'What is said in it.' }),
    transcriptionLanguage: t.string({ description: 'BCP 47 tag.' }),
  }),
})

const UpdateTrackPayload = builder.objectRef<{ track: { id: string } }>('UpdateTrackPayload').implement({
  description: 'Holds the track.',
  fields: (t) => ({
    track: t.field({ description: 'The track as it is now.', ...reloaded('Track', ({ track }) => track.id) }),
  }),
})
const DeleteTrackPayload = builder.objectRef<{ deletedTrack: { id: string } }>('DeleteTrackPayload').implement({
  description: 'Holds the track that was deleted.',
  fields: (t) => ({
    deletedTrack: t.field({
      description: 'The track as it was.',
      ...reloaded('Track', ({ deletedTrack }) => deletedTrack.id),
    }),
  }),
})
const CoverUploadPayload = builder.objectRef<{ track: { id: string } }>('CreateTrackCoverUploadPayload').implement({
  description: 'Holds the track, and where to upload its cover.',
  fields: (t) => ({
    track: t.field({ description: 'The track.', ...reloaded('Track', ({ track }) => track.id) }),
    trackCoverUpload: t.field({
      type: UploadHandleObject,
      description: 'Takes one cover image.',
      resolve: ({ track }, _, ctx) => uploadHandle(ctx, 'track-cover', track.id),
    }),
  }),
})

const id = { required: true, description: 'UUID of the track.' } as const

builder.mutationFields((t) => ({
  updateTrack: t.field({
    type: UpdateTrackPayload,
    description: 'Changes a track.',
    args: {
      id: t.arg.id(id),
      input: t.arg({ type: UpdateTrackInput, required: true, description: 'What is changed.' }),
    },
    resolve: async (_, { id, input }, ctx) => ({ track: await updateTrack(ctx, id, input) }),
  }),
  deleteTrack: t.field({
    type: DeleteTrackPayload,
    description: 'Deletes a track. Its files stop being delivered at once.',
    args: { id: t.arg.id(id) },
    resolve: async (_, { id }, ctx) => ({ deletedTrack: await deleteTrack(ctx, id) }),
  }),
  createTrackCoverUpload: t.field({
    type: CoverUploadPayload,
    description: 'Makes an address that takes one cover image for a track.',
    args: { trackId: t.arg.id(id) },
    resolve: async (_, { trackId }, ctx) => ({ track: await getTrackForCover(ctx, trackId) }),
  }),
}))
