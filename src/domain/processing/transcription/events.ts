import type { Transaction } from '../../../platform/db/client.ts'
import type { Job, Track } from '../../../platform/db/generated/client/client.ts'
import { recordEvent } from '../../event/service.ts'
import { toEventSubject } from '../../track/record-events.ts'
import { type TranscriptionFailure, transcriptionFailures } from './record.ts'

type EventTrack = Pick<Track, 'id' | 'organizationId' | 'creatorId' | 'collectionId'>

/** Records `track.transcribed`. @param language of the transcription, which the event does not contain */
export const recordTranscribedEvent = (
  tx: Transaction,
  job: Pick<Job, 'id'>,
  track: EventTrack,
  language: string | null,
) =>
  recordEvent(tx, track.organizationId, 'track.transcribed', {
    ...toEventSubject(track),
    job_id: job.id,
    transcription_language: language,
  })

/** Records `track.transcription_failed`. @param text defaults to the sentence of the code */
export const recordFailureEvent = (
  tx: Transaction,
  job: Pick<Job, 'id'>,
  track: EventTrack,
  code: string,
  text: string = transcriptionFailures[code as TranscriptionFailure],
) =>
  recordEvent(tx, track.organizationId, 'track.transcription_failed', {
    ...toEventSubject(track),
    job_id: job.id,
    status_code: code,
    status_text: text,
  })
