import type { Track } from './page.ts'

const HLS = 'application/vnd.apple.mpegurl'
/** Sound that is loaded before it is played. */
const BUFFER_SECONDS = 60
/** Bits per second of the network, before any segment was loaded: that of a usual recording with 128 kbps and a half more. */
const FIRST_ESTIMATE = 200_000

/** Safari plays playlists itself, also on other devices (AirPlay). The player of Chromium is newer than what is loaded for it. */
const hasPlayer = (audio: HTMLAudioElement) => navigator.vendor.startsWith('Apple') && audio.canPlayType(HLS) !== ''

/**
 * The sound of the page's audio element: a file, or an adaptive stream. For browsers other than Safari a player is loaded,
 * which only pages with an adaptive stream need.
 * @param onFailure called when the player gives up. Failures of the element are its own events
 */
export function createSound(audio: HTMLAudioElement, onFailure: () => void) {
  let player: { destroy: () => void } | null = null
  /** Number of the last load or unload, which ends those before it. */
  let last = 0
  let isLoaded = false
  /** Whether the browser has failed to play what the player hands to it (WebKitGTK 2.50). It plays files from then on. */
  let hasPlayerFailed = false
  // Before the listeners that load the sound again.
  audio.addEventListener('error', () => {
    if (player) hasPlayerFailed = true
  })

  /** Without a player, the browser plays the best file. */
  async function startPlayer(address: string, stream: string, from: number): Promise<void> {
    const number = last
    const loaded = await import('hls.js/light').catch(() => null)
    if (number !== last) return
    const Hls = loaded?.default
    if (!Hls?.isSupported()) {
      audio.src = stream
      return
    }
    // A worker would need a script of its own, and has nothing to do: the segments are in the browser's format.
    const hls = new Hls({
      enableWorker: false,
      startPosition: from,
      maxBufferLength: BUFFER_SECONDS,
      abrEwmaDefaultEstimate: FIRST_ESTIMATE,
    })
    player = hls
    hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
      if (!fatal) return
      if (type === Hls.ErrorTypes.MEDIA_ERROR) hasPlayerFailed = true
      onFailure()
    })
    hls.loadSource(address)
    hls.attachMedia(audio)
  }

  function end(): void {
    last += 1
    player?.destroy()
    player = null
  }

  return {
    isLoaded: () => isLoaded,

    /**
     * Opens a track, which counts a play.
     * @param from position in seconds
     * @returns null when the element has its address at once
     */
    load({ stream, playlist }: Track, from: number): Promise<void> | null {
      end()
      isLoaded = true
      const isOwnPlaylist = playlist !== null && hasPlayer(audio)
      if (playlist !== null && !isOwnPlaylist && !hasPlayerFailed) return startPlayer(playlist, stream, from)
      audio.src = isOwnPlaylist ? playlist : stream
      return null
    },

    unload(): void {
      end()
      isLoaded = false
      audio.removeAttribute('src')
      audio.load()
    },
  }
}
