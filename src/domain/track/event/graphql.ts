import type { Event } from '../../../platform/db/generated/client/client.ts'
import type { TrackStatus } from '../../../platform/db/generated/client/enums.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { EventInterface } from '../../event/graphql.ts'
import { TrackStatusEnum } from '../graphql.ts'

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
const trackOf = ({ data }: Event) => data as unknown as TrackData
const statusOf = ({ data }: Event) => data as unknown as StatusData
const fileOf = ({ data }: Event) => (data as unknown as FileData).file

builder.objectRef<Event>('TrackStatusChangedEvent').implement({
  description: 'A track came to the end of its processing.',
  interfaces: [EventInterface],
  fields: (t) => ({
    trackId: t.id({ description: 'The track.', resolve: (event) => trackOf(event).track_id }),
    collectionId: t.id({ description: 'Its collection.', resolve: (event) => trackOf(event).collection_id }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator that it belongs to.' }),
    uploadSessionId: t.id({
      nullable: true,
      description: 'The session that it was uploaded in.',
      resolve: (event) => statusOf(event).upload_session_id,
    }),
    status: t.field({
      type: TrackStatusEnum,
      description: 'The state that it reached.',
      resolve: (event) => statusOf(event).status,
    }),
    previousStatus: t.field({
      type: TrackStatusEnum,
      description: 'The state that it left.',
      resolve: (event) => statusOf(event).previous_status,
    }),
  }),
})

builder.objectRef<Event>('TrackFileEvent').implement({
  description: 'A file of a track is done, or was given up.',
  interfaces: [EventInterface],
  fields: (t) => ({
    trackId: t.id({ description: 'The track.', resolve: (event) => trackOf(event).track_id }),
    collectionId: t.id({ description: 'Its collection.', resolve: (event) => trackOf(event).collection_id }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator that it belongs to.' }),
    fileId: t.id({ description: 'The file.', resolve: (event) => fileOf(event).id }),
    variantId: t.id({ description: 'What it was made by.', resolve: (event) => fileOf(event).variant.id }),
    variantIndex: t.string({ description: 'Name of the variant.', resolve: (event) => fileOf(event).variant.index }),
    isSuccess: t.boolean({ description: 'Whether it can be played.', resolve: (event) => fileOf(event).is_success }),
    statusText: t.string({
      nullable: true,
      description: 'Why it was given up; null where it is done.',
      resolve: (event) => fileOf(event).status_text,
    }),
  }),
})
