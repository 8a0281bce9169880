import type { Event } from '../../../platform/db/generated/client/client.ts'
import type { TrackStatus } from '../../../platform/db/generated/client/enums.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { Node } from '../../../platform/graphql/node.ts'
import { EventInterface } from '../../event/graphql.ts'
import { TrackStatusEnum } from '../graphql.ts'
import { trackDashboardFields, trackFields } from '../record.ts'

interface TrackData {
  track_id: string
  collection_id: string
}
interface StatusData extends TrackData {
  status: TrackStatus
  previous_status: TrackStatus
  upload_session_id: string | null
}
interface FileData extends TrackData {
  file: { id: string; is_success: boolean; status_text: string | null; variant: { id: string; index: string } }
}
const readTrackData = ({ data }: Event) => data as unknown as TrackData
const readStatusData = ({ data }: Event) => data as unknown as StatusData
const readRecordingData = ({ data }: Event) => data as { is_restored?: boolean; status_text?: string }
const readTranscriptionData = ({ data }: Event) => data as { job_id: string; status_text?: string }
const fileOf = ({ data }: Event) => (data as unknown as FileData).file

type EventFields = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Event>

/** The track of an event, and the records above it. */
const defineTrackFields = (t: EventFields) => ({
  trackId: t.id({ description: trackFields.id.description, resolve: (event) => readTrackData(event).track_id }),
  collectionId: t.id({
    description: trackFields.collectionId.description,
    resolve: (event) => readTrackData(event).collection_id,
  }),
  creatorId: t.exposeID('creatorId', { nullable: true, description: trackFields.creatorId.description }),
})

builder.objectRef<Event>('TrackStatusChangedEvent').implement({
  description: 'A track reached the end of its processing.',
  interfaces: [Node, EventInterface],
  fields: (t) => ({
    ...defineTrackFields(t),
    uploadSessionId: t.id({
      nullable: true,
      description: trackDashboardFields.uploadSessionId.description,
      resolve: (event) => readStatusData(event).upload_session_id,
    }),
    status: t.field({
      type: TrackStatusEnum,
      description: 'The state that it reached.',
      resolve: (event) => readStatusData(event).status,
    }),
    previousStatus: t.field({
      type: TrackStatusEnum,
      description: 'The state that it left.',
      resolve: (event) => readStatusData(event).previous_status,
    }),
  }),
})

builder.objectRef<Event>('TrackRecordingEvent').implement({
  description: 'A track has another recording, or a new one could not be used.',
  interfaces: [Node, EventInterface],
  fields: (t) => ({
    ...defineTrackFields(t),
    isSuccess: t.boolean({
      description: 'Whether the track has the other recording.',
      resolve: ({ type }) => type === 'track.recording_replaced',
    }),
    isRestored: t.boolean({
      description: 'Whether it is a former recording that was restored.',
      resolve: (event) => readRecordingData(event).is_restored ?? false,
    }),
    statusText: t.string({
      nullable: true,
      description: 'Why the new recording could not be used. Null for one that is used.',
      resolve: (event) => readRecordingData(event).status_text ?? null,
    }),
  }),
})

builder.objectRef<Event>('TrackTranscriptionEvent').implement({
  description: 'A track was transcribed, or could not be.',
  interfaces: [Node, EventInterface],
  fields: (t) => ({
    ...defineTrackFields(t),
    jobId: t.id({ description: 'ID of the job.', resolve: (event) => readTranscriptionData(event).job_id }),
    isSuccess: t.boolean({
      description: 'Whether the track has a new transcription.',
      resolve: ({ type }) => type === 'track.transcribed',
    }),
    statusText: t.string({
      nullable: true,
      description: 'Why it could not be transcribed. Null when it was.',
      resolve: (event) => readTranscriptionData(event).status_text ?? null,
    }),
  }),
})

builder.objectRef<Event>('TrackFileEvent').implement({
  description: 'A file of a track is finished or failed.',
  interfaces: [Node, EventInterface],
  fields: (t) => ({
    ...defineTrackFields(t),
    fileId: t.id({ description: 'ID of the file.', resolve: (event) => fileOf(event).id }),
    variantId: t.id({ description: 'ID of its variant.', resolve: (event) => fileOf(event).variant.id }),
    variantIndex: t.string({ description: 'Index of its variant.', resolve: (event) => fileOf(event).variant.index }),
    isSuccess: t.boolean({ description: 'Whether it can be played.', resolve: (event) => fileOf(event).is_success }),
    statusText: t.string({
      nullable: true,
      description: 'Reason for the failure. Null when the file is finished.',
      resolve: (event) => fileOf(event).status_text,
    }),
  }),
})
