/** A track of a list that is played. */
export interface PlayedTrack {
  id: string
  title: string
  artist: string | null
  coverUrl: string | undefined
  duration: number | null
  /** A certain file of it. Defaults to the best one that the browser plays. */
  fileId?: string
}

/** The file of a track that is played. */
export interface PlayedSound {
  fileId: string
  url: string
  levels: readonly number[] | null
  /** In seconds. */
  length: number
  /** Where the file begins in the recording, in seconds. */
  recordingStart: number
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

const toFilePosition = ({ recordingStart }: PlayedSound, seconds: number) => Math.max(0, seconds - recordingStart)

export type Playback = ReturnType<typeof createPlayback>

/**
 * Plays the tracks of a list, one after the other. The studio has one player, so that one sound plays at a time.
 * @param findSound reads a file that the browser plays. Null for a track without one
 */
export function createPlayback(findSound: (track: PlayedTrack) => Promise<PlayedSound | null>) {
  const audio = new Audio()
  const listeners = new Set<() => void>()
  let state = silence
  let list: readonly PlayedTrack[] = []
  let failedAt = Number.NEGATIVE_INFINITY

  function change(part: Partial<PlaybackState>) {
    state = { ...state, ...part }
    for (const listener of listeners) listener()
  }

  /**
   * Reads the address of a file, which expires after an hour, and plays it.
   * @param isInRecording whether the position is one of the recording: the file may be a part of it. Defaults to false
   */
  async function load(track: PlayedTrack, at: number, isInRecording = false) {
    const sound = await findSound(track).catch(() => null)
    if (state.track !== track) return
    if (!sound) return change({ isPlaying: false, isFailed: true })
    // Before the first file, a person may have chosen another position.
    const isMoved = !state.sound && state.at !== at
    const beginning = isInRecording ? toFilePosition(sound, at) : at
    const position = isMoved ? state.at : beginning
    change({ sound, length: sound.length, at: position })
    audio.src = sound.url
    if (position > 0) audio.currentTime = position
    if (state.isPlaying) start()
  }

  // A pause that follows at once rejects the promise; a failure is an event of the element.
  const start = () => void audio.play().catch(() => {})

  function open(track: PlayedTrack, at = 0, isInRecording = false) {
    audio.pause()
    const place = list.indexOf(track)
    const places = { hasPrevious: place > 0, hasNext: place < list.length - 1 }
    change({ ...silence, ...places, track, isPlaying: true, at, length: track.duration ?? 0 })
    void load(track, at, isInRecording)
  }

  /** Whether the player has the track, and its file if the track names one. */
  const isCurrent = ({ id, fileId }: PlayedTrack) =>
    state.track?.id === id && (fileId === undefined || fileId === (state.sound?.fileId ?? state.track.fileId))

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
    if (state.sound) audio.currentTime = seconds
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
      if (isCurrent(track)) return toggle()
      list = from
      open(track)
    },
    /** Moves to a position of a track. It plays from there if the player does not have it yet. */
    playAt(track: PlayedTrack, seconds: number) {
      if (isCurrent(track)) return seek(seconds)
      list = [track]
      open(track, seconds)
    },
    /** Plays a track from a place of its recording. */
    playFrom(track: PlayedTrack, seconds: number) {
      if (!isCurrent(track)) {
        list = [track]
        return open(track, seconds, true)
      }
      seek(state.sound ? toFilePosition(state.sound, seconds) : seconds)
      if (!state.isPlaying) toggle()
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
