import { t } from '../../strings.ts'
import type { EventType } from '../generated/operations.ts'

/** Names in the body of a webhook. `webhook.test` is sent on request only. */
const NAMES: Record<EventType, string> = {
  TRACK_STATUS_CHANGED: 'track.status_changed',
  TRACK_RECORDING_REPLACED: 'track.recording_replaced',
  TRACK_REPLACEMENT_FAILED: 'track.replacement_failed',
  TRACK_TRANSCRIBED: 'track.transcribed',
  TRACK_TRANSCRIPTION_FAILED: 'track.transcription_failed',
  TRACK_FILE_CREATED: 'track_file.created',
  TRACK_FILE_FAILED: 'track_file.failed',
  COLLECTION_CREATED: 'collection.created',
  COLLECTION_UPDATED: 'collection.updated',
  COLLECTION_DELETED: 'collection.deleted',
  COLLECTION_RESTORED: 'collection.restored',
  WEBHOOK_DISABLED: 'webhook.disabled',
  WEBHOOK_TEST: 'webhook.test',
}

export const nameOf = (type: EventType): string => NAMES[type]

/** Types that an endpoint may be limited to. */
const selectable = (Object.keys(NAMES) as EventType[]).filter((type) => type !== 'WEBHOOK_TEST')

export const eventTypes = () => selectable.map((id) => ({ id, text: `${t(`webhook.${id}`)} (${NAMES[id]})` }))

export const isEventType = (text: string): text is EventType => text in NAMES
