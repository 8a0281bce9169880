import { parsedBody, toTonearmError } from '../../client/error.ts'
import type { SendOptions } from '../../client/put.ts'
import { connect, readData, type Schemas } from '../../client/rest.ts'
import { cancelUpload, sendFile, type UploadTarget } from '../../client/upload.ts'
import { t } from '../strings.ts'

export type CoverTarget = Pick<Schemas['CoverUpload'], 'upload_url'>

/** A track that waits for its recording. */
export interface CreatedTrack {
  trackId: string
  sessionId: string
  upload: UploadTarget
  coverUpload: CoverTarget
}

/** State of a track, as the gateway has it (domain/upload/page.ts). */
export interface TrackState {
  id: string
  status: string
  progressPercent: number
  statusCode: string | null
  statusText: string | null
}

/** Requests of the queue. */
export interface UploadService {
  /** Creates the track of a file in an upload session. */
  create: (sessionId: string, file: File) => Promise<CreatedTrack>
  /** Sends a recording, from where an earlier call with the same target ended. */
  send: (file: File, target: UploadTarget, options: SendOptions) => Promise<void>
  cancel: (target: UploadTarget) => Promise<void>
  sendCover: (file: File, target: CoverTarget) => Promise<void>
  /** Reads the states of at most MAX_READ tracks of a session. */
  read: (sessionId: string, trackIds: readonly string[]) => Promise<TrackState[]>
}

export const MAX_READ = 100

/** Refusals of the picture itself. */
const pictureProblems = ['invalid_input', 'unsupported_media_type', 'too_large']

/** Sends a cover. @throws TonearmError when the service refuses; the reason of the signal */
export async function sendCover(file: File, { upload_url }: CoverTarget, signal?: AbortSignal): Promise<void> {
  const answer = await fetch(upload_url, { method: 'POST', body: file, signal })
  if (answer.ok) return
  const error = toTonearmError(answer.status, parsedBody(await answer.text()))
  if (pictureProblems.includes(error.code)) error.message = t('upload.pictureRefused')
  throw error
}

/** Connects to the service of the page. Upload sessions need no key. */
export function createService(): UploadService {
  const rest = connect({ baseUrl: location.origin })
  return {
    async create(sessionId, file) {
      const params = { path: { upload_session_id: sessionId } }
      const body = { file_name: file.name, file_size: file.size }
      const answer = readData(await rest.POST('/v1/upload/{upload_session_id}/track', { params, body }))
      const { track_id: trackId, track_upload: upload, track_cover_upload: coverUpload } = answer
      return { trackId, sessionId, upload, coverUpload }
    },
    send: sendFile,
    cancel: cancelUpload,
    sendCover,
    async read(sessionId, trackIds) {
      const answer = await fetch(`/u/${sessionId}/states?track=${trackIds.join(',')}`)
      const body = parsedBody(await answer.text())
      if (!answer.ok) throw toTonearmError(answer.status, body)
      return (body as { tracks: TrackState[] }).tracks
    },
  }
}
