import { takeSound } from './sole-sound.ts'

/** A track of a list that is played. */
export interface PlayedTrack {
  id: string
  title: string
  artist: string | null
  coverUrl: string | undefined
  duration: number | null
}

/** The file of a track that is played. */
export interface PlayedSound {
  url: string
  levels: readonly number[] | null
  /** In seconds. */
  length: number
  /** Color of the music, hexadecimal. */
  color: string
}

export interface PlaybackState {
  track: PlayedTrack | null
  sound: PlayedSound | null
  isPlaying: boolean
  /** Position in seconds. */
  at: number
  length: number
  isFailed: boolean
  hasPrevious: boolean
  hasNext: boolean
}

/** A second failure within this time is shown instead of repeated. */
const RELOAD_MS = 10_000
/** After this time, "previous" begins the track again. */
const RESTART_SECONDS = 3
const EVENTS = ['play', 'pause', 'timeupdate', 'durationchange'] as const

const silence: PlaybackState = {
  track: null,
  sound: null,
  isPlaying: false,
  at: 0,
  length: 0,
  isFailed: false,
  hasPrevious: false,
  hasNext: false,
}

export type Playback = ReturnType<typeof createPlayback>

/**
 * Plays the tracks of a list, one after the other.
 * @param findSound reads a file that the browser plays. Null for a track without one
 */
export function createPlayback(findSound: (trackId: string) => Promise<PlayedSound | null>) {
  const audio = new Audio()
  const listeners = new Set<() => void>()
  let state = silence
  let list: readonly PlayedTrack[] = []
  let failedAt = Number.NEGATIVE_INFINITY

  function change(part: Partial<PlaybackState>) {
    state = { ...state, ...part }
    for (const listener of listeners) listener()
  }

  /** Reads the address of a file, which expires after an hour, and plays it. */
  async function load(track: PlayedTrack, at: number) {
    const sound = await findSound(track.id).catch(() => null)
    if (state.track !== track) return
    if (!sound) return change({ isPlaying: false, isFailed: true })
    change({ sound, length: sound.length })
    audio.src = sound.url
    if (at > 0) audio.currentTime = at
    if (state.isPlaying) start()
  }

  // A pause that follows at once rejects the promise; a failure is an event of the element.
  const start = () => void audio.play().catch(() => {})

  function open(track: PlayedTrack) {
    audio.pause()
    const at = list.indexOf(track)
    const places = { hasPrevious: at > 0, hasNext: at < list.length - 1 }
    change({ ...silence, ...places, track, isPlaying: true, length: track.duration ?? 0 })
    void load(track, 0)
  }

  function skip(by: number): boolean {
    const track = state.track && list[list.indexOf(state.track) + by]
    if (track) open(track)
    return Boolean(track)
  }

  function toggle() {
    if (!state.track) return
    if (state.isPlaying) {
      // While the sound is being read, there is nothing to pause yet.
      if (!state.sound) change({ isPlaying: false })
      return audio.pause()
    }
    if (state.sound && !state.isFailed) return start()
    change({ isFailed: false, isPlaying: true })
    void load(state.track, state.at)
  }

  function seek(seconds: number) {
    audio.currentTime = seconds
    change({ at: seconds })
  }

  function close() {
    list = []
    change(silence)
    audio.pause()
    audio.removeAttribute('src')
    audio.load()
  }

  for (const type of EVENTS)
    audio.addEventListener(type, () => {
      if (!state.sound) return
      if (type === 'play') takeSound(audio)
      const length = Number.isFinite(audio.duration) ? audio.duration : state.length
      change({ isPlaying: !audio.paused, at: audio.currentTime, length })
    })
  audio.addEventListener('ended', () => {
    if (!skip(1)) change({ isPlaying: false })
  })
  audio.addEventListener('error', () => {
    if (!state.track || !state.sound) return
    const isSecond = performance.now() - failedAt < RELOAD_MS
    failedAt = performance.now()
    if (isSecond) change({ isPlaying: false, isFailed: true })
    else void load(state.track, state.at)
  })

  return {
    read: () => state,
    /** Calls the listener on every change, until the returned function is called. */
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Plays a track of a list, from its beginning, or pauses it when it plays. */
    play(track: PlayedTrack, from: readonly PlayedTrack[]) {
      if (state.track?.id === track.id) return toggle()
      list = from
      open(track)
    },
    toggle,
    seek,
    next: () => void skip(1),
    previous() {
      if (state.at > RESTART_SECONDS || !skip(-1)) seek(0)
    },
    close,
  }
}
