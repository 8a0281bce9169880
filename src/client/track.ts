import { delay } from './delay.ts'
import { type Rest, readData, type Schemas } from './rest.ts'

export interface TrackState {
  track: Schemas['Track']
  files: Schemas['TrackFile'][]
}

export interface WaitOptions {
  /** Called when the status changes, also with the first one. */
  onChange?: (state: TrackState) => void
  /** Ends the wait. Pass `AbortSignal.timeout(ms)` for a limit of time. */
  signal?: AbortSignal
}

/** A track whose recording cannot be used. */
export class TrackFailedError extends Error {
  override readonly name = 'TrackFailedError'
  constructor(readonly state: TrackState) {
    const { status_text, track_status_id } = state.track
    super(status_text ?? `the track is ${track_status_id}`)
  }
}

const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 5000
const unfinishedStates: readonly string[] = ['initialized', 'processing', 'fallback_processing']

/** Whether a track's state changes only after another request. */
export const isFinalStatus = (status: string) => !unfinishedStates.includes(status)

/**
 * Polls a track until its processing ends, every 0.25 to 5 seconds.
 * @returns the track with its files. Its status is `ready`, or `incomplete` when some files failed
 * @throws TrackFailedError when its status is `error` or `init_error`; TonearmError when the service refuses
 */
export async function waitForTrack(rest: Rest, trackId: string, options: WaitOptions = {}): Promise<TrackState> {
  const { onChange, signal } = options
  let last = ''
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
    const answer = await rest.GET('/v1/track/{track_id}', { params: { path: { track_id: trackId } }, signal })
    const { track, files } = readData(answer)
    const state = { track, files }
    const { track_status_id: status } = track
    if (status !== last) onChange?.(state)
    last = status
    if (status === 'error' || status === 'init_error') throw new TrackFailedError(state)
    if (isFinalStatus(status)) return state
    await delay(wait, signal)
  }
}
