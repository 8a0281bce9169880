import { type DetailedHTMLProps, type HTMLAttributes, useCallback, useEffect, useRef, useState } from 'react'
import type { Client, SessionTrack, UploadPlace } from './index.ts'
import type { PlayerAttributes, TonearmPlayerElement } from './player.ts'
import type { UploadSource } from './source.ts'

/** An upload, as a page shows it. */
export interface UploadView {
  /** `sending` until all bytes have arrived, `processing` until the track can be played. */
  phase: 'idle' | 'sending' | 'processing' | 'ready' | 'failed' | 'cancelled'
  /** Percent of the current phase. 0 to 100. */
  progress: number
  /** Null until it is created. */
  trackId: string | null
  /** Null unless its phase is `failed`. */
  error: Error | null
}

const idle: UploadView = { phase: 'idle', progress: 0, trackId: null, error: null }

/**
 * Sends one file at a time and follows it until it is ready. Ends the upload when the component is removed.
 * @example
 * ```ts
 * const { phase, progress, start, cancel } = useUpload(tonearm)
 * const onFile = (file: File) => start(file, { uploadSessionId })
 * ```
 */
export function useUpload(client: Client) {
  const [view, setView] = useState(idle)
  const ending = useRef<AbortController | null>(null)

  const start = useCallback(
    async (source: UploadSource, place: UploadPlace): Promise<void> => {
      ending.current?.abort()
      const controller = new AbortController()
      ending.current = controller
      const { signal } = controller
      /** A later upload replaces this one. */
      const show = (change: Partial<UploadView>) => {
        if (ending.current === controller) setView((current) => ({ ...current, ...change }))
      }
      show({ ...idle, phase: 'sending' })
      const onProgress = (sent: number, total: number) => show({ progress: Math.floor((100 * sent) / total) })
      try {
        const upload = await client.upload(source, { ...place, signal, onProgress })
        show({ phase: 'processing', progress: 0, trackId: upload.trackId })
        await client.waitForUpload(upload, { signal, onChange: ({ progress }) => show({ progress }) })
        show({ phase: 'ready', progress: 100 })
      } catch (error) {
        show(signal.aborted ? { phase: 'cancelled' } : { phase: 'failed', error: error as Error })
      }
    },
    [client],
  )
  const cancel = useCallback(() => ending.current?.abort(), [])
  useEffect(() => cancel, [cancel])
  return { ...view, start, cancel }
}

/**
 * The tracks of an upload session, live, newest first. Needs no API key.
 * @param uploadSessionId null for none
 * @example
 * ```ts
 * const { tracks, error } = useUploadSession(tonearm, uploadSessionId)
 * ```
 */
export function useUploadSession(client: Client, uploadSessionId: string | null) {
  const [tracks, setTracks] = useState<readonly SessionTrack[]>([])
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    setTracks([])
    setError(null)
    if (uploadSessionId === null) return
    const ending = new AbortController()
    followInto(client, uploadSessionId, ending.signal, setTracks).catch((reason: Error) => {
      if (!ending.signal.aborted) setError(reason)
    })
    return () => ending.abort()
  }, [client, uploadSessionId])
  return { tracks, error }
}

type Update = (change: (tracks: readonly SessionTrack[]) => readonly SessionTrack[]) => void

async function followInto(client: Client, sessionId: string, signal: AbortSignal, update: Update): Promise<void> {
  for await (const change of client.followUploadSession(sessionId, { signal })) {
    update((tracks) => {
      if (change.type === 'deleted') return tracks.filter(({ track_id }) => track_id !== change.trackId)
      const { track } = change
      const isShown = tracks.some(({ track_id }) => track_id === track.track_id)
      // IDs ascend by time.
      if (!isShown) return [...tracks, track].sort((a, b) => (a.track_id < b.track_id ? 1 : -1))
      return tracks.map((one) => (one.track_id === track.track_id ? track : one))
    })
  }
}

/** The player, as a page shows it. */
export interface PlayerView {
  isPlaying: boolean
  /** Seconds. */
  currentTime: number
  /** Seconds. 0 until the sound plays. */
  duration: number
}

const silent: PlayerView = { isPlaying: false, currentTime: 0, duration: 0 }
const PLAYER_EVENTS = ['ready', 'play', 'pause', 'ended', 'timeupdate', 'seeked', 'error']

/**
 * Follows a `<tonearm-player>`, which the import of `@tonearm/client/player` defines, and controls it.
 * @returns its state, the `ref` of the element, and `play`, `pause` and `seek` to a second
 * @example
 * ```ts
 * const { ref, isPlaying, currentTime, play, pause } = usePlayer()
 * const onPress = () => (isPlaying ? pause() : play())
 * ```
 */
export function usePlayer() {
  const [element, ref] = useState<TonearmPlayerElement | null>(null)
  const [view, setView] = useState(silent)
  useEffect(() => {
    setView(silent)
    if (!element) return
    const show = () => {
      const { paused, currentTime, duration } = element
      setView({ isPlaying: !paused, currentTime, duration })
    }
    for (const name of PLAYER_EVENTS) element.addEventListener(name, show)
    return () => {
      for (const name of PLAYER_EVENTS) element.removeEventListener(name, show)
    }
  }, [element])
  const play = useCallback(() => element?.play(), [element])
  const pause = useCallback(() => element?.pause(), [element])
  const seek = useCallback(
    (seconds: number) => {
      if (element) element.currentTime = seconds
    },
    [element],
  )
  return { ...view, ref, play, pause, seek }
}

/** Properties of `<tonearm-player>` in JSX. */
export type PlayerProps = DetailedHTMLProps<HTMLAttributes<TonearmPlayerElement>, TonearmPlayerElement> &
  PlayerAttributes

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'tonearm-player': PlayerProps
    }
  }
}
