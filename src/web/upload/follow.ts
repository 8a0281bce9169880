import { isFinalStatus } from '../../client/track.ts'
import { MAX_READ, type TrackState, type UploadService } from './service.ts'

export const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 5000

export const isFinal = ({ status }: TrackState) => isFinalStatus(status)

/** State of a track: null when it was deleted, `unknown` after the end of its upload session. */
export type Followed = TrackState | null | 'unknown'

interface Track {
  sessionId: string
  onState: (state: Followed) => void
}

/**
 * Reads the states of tracks until they are final, some at a time: one request after the other, more rarely while
 * nothing changes.
 * @param firstWaitMs time before the first read, in milliseconds
 */
export function createFollower(read: UploadService['read'], firstWaitMs: number) {
  const tracks = new Map<string, Track>()
  let wait = firstWaitMs
  let timer: ReturnType<typeof setTimeout> | null = null

  function schedule() {
    if (timer !== null || tracks.size === 0) return
    timer = setTimeout(async () => {
      await poll()
      timer = null
      schedule()
    }, wait)
  }

  /** The tracks that were not read for the longest time, of one session. */
  function nextTracks() {
    const sessionId = tracks.values().next().value?.sessionId ?? ''
    const ids = [...tracks].filter(([, track]) => track.sessionId === sessionId).map(([id]) => id)
    return { sessionId, ids: ids.slice(0, MAX_READ) }
  }

  async function poll() {
    const { sessionId, ids } = nextTracks()
    try {
      const states = new Map((await read(sessionId, ids)).map((state) => [state.id, state]))
      wait = Math.min(wait * 1.5, MAX_WAIT_MS)
      for (const id of ids) report(id, states.get(id) ?? null)
    } catch (error) {
      const { status } = error as { status?: number }
      // Later reads of an ended session fail, too. After any other failure the next one may succeed.
      if (status === 404 || status === 410) for (const id of ids) report(id, 'unknown')
      else wait = MAX_WAIT_MS
    }
  }

  function report(id: string, state: Followed) {
    const track = tracks.get(id)
    if (!track) return
    tracks.delete(id)
    if (state && state !== 'unknown' && !isFinal(state)) tracks.set(id, track)
    else wait = firstWaitMs
    track.onState(state)
  }

  return {
    follow(id: string, track: Track) {
      tracks.set(id, track)
      wait = firstWaitMs
      schedule()
    },
    forget: (id: string) => void tracks.delete(id),
  }
}
