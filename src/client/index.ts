import { type FollowOptions, followEvents } from './events.ts'
import type { operations } from './generated/rest.ts'
import { type ListOptions, listCollections, listCreators, listTracks } from './list.ts'
import type { SendOptions } from './put.ts'
import { type ConnectionOptions, connect, type RequestOptions, readData, type Schemas } from './rest.ts'
import { followSession, type UploadedTrack, type WaitForUploadOptions, waitForUpload } from './session.ts'
import { readFileName, readSize, type UploadSource } from './source.ts'
import { type WaitOptions, waitForTrack } from './track.ts'
import { sendFile, type UploadTarget } from './upload.ts'

export { TonearmError } from './error.ts'
export type { EventPage, FollowOptions } from './events.ts'
export type { ListOptions } from './list.ts'
export { followListening } from './listening.ts'
export type { SendOptions } from './put.ts'
export { type ConnectionOptions, type RequestOptions, type Rest, readData, type Schemas } from './rest.ts'
export {
  type SessionChange,
  type SessionTrack,
  type UploadedTrack,
  UploadFailedError,
  type WaitForUploadOptions,
} from './session.ts'
export type { UploadSource } from './source.ts'
export { TrackFailedError, type TrackState, type WaitOptions } from './track.ts'
export { cancelUpload, sendFile, type UploadTarget } from './upload.ts'

/** Fields of a new track. `file_name` and `file_size` default to those of the file. */
export type NewTrack = Partial<
  NonNullable<operations['createUploadTrack']['requestBody']>['content']['application/json']
>

export type UploadPlace =
  /** In a collection, with an API key of kind `api` or `uploader`. */
  | { collectionId: string; track?: NewTrack }
  /** In a session that your server created. Needs no API key. */
  | { uploadSessionId: string; track?: NewTrack }

export interface CreatedUpload extends UploadedTrack {
  target: UploadTarget
}

export type PlaySessionPlace = ({ collectionId: string } | { trackId: string }) & {
  /** Other fields of `POST /v1/play_session`. */
  options?: Omit<Schemas['CreatePlaySession'], 'collection_id' | 'track_id'>
}

export type Client = ReturnType<typeof createClient>

/**
 * Creates a client of one service. Every method throws TonearmError when the service refuses.
 * @example
 * ```ts
 * const tonearm = createClient({ baseUrl: 'https://audio.example.com', apiKey })
 * const { trackId } = await tonearm.upload(file, { collectionId })
 * const { track } = await tonearm.waitForTrack(trackId)
 * ```
 */
export function createClient(options: ConnectionOptions) {
  const rest = connect(options)

  /**
   * Creates the track of a file, without sending its bytes.
   * @example
   * ```ts
   * const { target } = await tonearm.createUpload(file, { collectionId })
   * await sendFile(file, target)
   * ```
   */
  async function createUpload(source: UploadSource, place: UploadPlace & RequestOptions): Promise<CreatedUpload> {
    const { track_id, upload_session_id, track_upload } = await createTrack(source, place)
    // The answer has a track whenever the request has one.
    return { trackId: track_id as string, uploadSessionId: upload_session_id, target: track_upload as UploadTarget }
  }

  async function createTrack(source: UploadSource, place: UploadPlace & RequestOptions) {
    const { signal } = place
    const track = { file_name: readFileName(source), file_size: readSize(source), ...place.track }
    if ('collectionId' in place) {
      const body = { collection_id: place.collectionId, track }
      return readData(await rest.POST('/v1/upload_session', { body, signal }))
    }
    const path = { upload_session_id: place.uploadSessionId }
    return readData(await rest.POST('/v1/upload/{upload_session_id}/track', { params: { path }, body: track, signal }))
  }

  return {
    /**
     * Every operation of /v1, typed. Requests that fail for a moment are repeated.
     * @example
     * ```ts
     * const { collections } = readData(await tonearm.rest.GET('/v1/collection'))
     * ```
     */
    rest,
    createUpload,

    /**
     * Creates the track of a file, and sends its bytes.
     * @example
     * ```ts
     * const { trackId } = await tonearm.upload(file, {
     *   collectionId,
     *   onProgress: (sent, total) => console.log(`${Math.floor((100 * sent) / total)} %`),
     * })
     * ```
     */
    async upload(source: UploadSource, place: UploadPlace & SendOptions): Promise<CreatedUpload> {
      const upload = await createUpload(source, place)
      await sendFile(source, upload.target, place)
      return upload
    },

    /**
     * Waits until a track is processed. Throws TrackFailedError when its recording cannot be used.
     * @example
     * ```ts
     * const { files } = await tonearm.waitForTrack(trackId, { signal: AbortSignal.timeout(600_000) })
     * ```
     */
    waitForTrack: (trackId: string, wait?: WaitOptions) => waitForTrack(rest, trackId, wait),

    /**
     * Waits until an upload is processed, with live progress and without an API key. Throws UploadFailedError when its
     * recording cannot be used.
     * @example
     * ```ts
     * const upload = await tonearm.upload(file, { uploadSessionId })
     * const { track_status_id } = await tonearm.waitForUpload(upload, {
     *   onChange: ({ progress }) => console.log(`${progress} %`),
     * })
     * ```
     */
    waitForUpload: (upload: UploadedTrack, wait?: WaitForUploadOptions) => waitForUpload(options, upload, wait),

    /**
     * Iterates over the states of the tracks of an upload session, without end and without an API key.
     * @example
     * ```ts
     * for await (const change of tonearm.followUploadSession(uploadSessionId)) {
     *   if (change.type === 'track') console.log(change.track.file_name, change.track.progress)
     * }
     * ```
     */
    followUploadSession: (uploadSessionId: string, request?: RequestOptions) =>
      followSession(options, uploadSessionId, request),

    /**
     * Iterates over the collections, newest first.
     * @example
     * ```ts
     * for await (const { id, title } of tonearm.collections()) console.log(id, title)
     * ```
     */
    collections: (list: ListOptions = {}) => listCollections(rest, list),

    /**
     * Iterates over the creators, newest first.
     * @example
     * ```ts
     * for await (const { id } of tonearm.creators({ organizationIndex: 'artist-417' })) console.log(id)
     * ```
     */
    creators: (list: ListOptions = {}) => listCreators(rest, list),

    /**
     * Iterates over the tracks of a collection, newest first.
     * @example
     * ```ts
     * for await (const { id, track_status_id } of tonearm.tracks(collectionId)) console.log(id, track_status_id)
     * ```
     */
    tracks: (collectionId: string, list: ListOptions = {}) => listTracks(rest, collectionId, list),

    /**
     * Address that plays a track, for an `<audio>` element or a browser. Each request counts as a play.
     * @example
     * ```ts
     * new Audio(tonearm.streamUrl(trackId, shareKey)).play()
     * ```
     */
    streamUrl: (trackId: string, shareKey: string) =>
      new URL(`/v1/stream/${encodeURIComponent(trackId)}/${encodeURIComponent(shareKey)}`, options.baseUrl).href,

    /**
     * Creates a play session with an API key of kind `api` or `player`.
     * @example
     * ```ts
     * const { play_session_id, tracks } = await tonearm.createPlaySession({ collectionId })
     * ```
     */
    async createPlaySession(place: PlaySessionPlace & RequestOptions) {
      const [scope, id] =
        'trackId' in place
          ? (['track', { track_id: place.trackId }] as const)
          : (['collection', { collection_id: place.collectionId }] as const)
      return readData(
        await rest.POST(`/v1/play_session/${scope}`, { body: { ...place.options, ...id }, signal: place.signal }),
      )
    },

    /**
     * Returns a play session. Needs no API key.
     * @example
     * ```ts
     * const { tracks, expires_at } = await tonearm.getPlaySession(playSessionId)
     * ```
     */
    async getPlaySession(playSessionId: string, { signal }: RequestOptions = {}) {
      const path = { play_session_id: playSessionId }
      return readData(await rest.GET('/v1/play_session/{play_session_id}', { params: { path }, signal }))
    },

    /**
     * Returns the files, levels and cover to play one track of a play session, and the addresses of its adaptive stream. Needs no API key.
     * @example
     * ```ts
     * const { variants, hls_url } = await tonearm.getPlayback(playSessionId, trackId)
     * const [file] = variants
     * ```
     */
    async getPlayback(playSessionId: string, trackId: string, { signal }: RequestOptions = {}) {
      const path = { play_session_id: playSessionId, track_id: trackId }
      return readData(await rest.GET('/v1/play/{play_session_id}/{track_id}', { params: { path }, signal }))
    },

    /**
     * Iterates over pages of events without end.
     * @example
     * ```ts
     * for await (const { events, next } of tonearm.events({ after: stored })) {
     *   for (const event of events) console.log(event.type)
     *   stored = next ?? undefined
     * }
     * ```
     */
    events: (follow?: FollowOptions) => followEvents(rest, follow),
  }
}
