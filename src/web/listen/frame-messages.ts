/** Messages between a frame and its page, in the protocol of player.js 0.0.11 (github.com/embedly/player.js). */

/** The player, for the page around its frame. */
export interface FramedPlayer {
  audio: HTMLAudioElement
  play: () => unknown
  seekTo: (seconds: number) => void
  position: () => number
  length: () => number
}

const CONTEXT = { context: 'player.js', version: '0.0.11' }
const EVENTS = ['ready', 'play', 'pause', 'ended', 'timeupdate', 'progress', 'seeked', 'error']

interface FrameMessage {
  context?: string
  method?: string
  value?: unknown
  listener?: string
}

/** Connects the player with the page that contains the frame. */
export function startFrameMessages({ audio, play, seekTo, position, length }: FramedPlayer): void {
  if (parent === window) return
  /** Names of listeners by their event. A page that names none gets an event once. */
  const listeners = new Map<string, Set<string | undefined>>()
  const send = (message: object) => parent.postMessage(JSON.stringify({ ...CONTEXT, ...message }), '*')
  const publish = (event: string, value?: unknown) => {
    for (const listener of listeners.get(event) ?? []) send({ event, value, listener })
  }
  const setMuted = (isMuted: boolean) => {
    audio.muted = isMuted
  }
  const methods: Record<string, (value: unknown, listener?: string) => unknown> = {
    play: () => void play(),
    pause: () => audio.pause(),
    getPaused: () => audio.paused,
    mute: () => setMuted(true),
    unmute: () => setMuted(false),
    getMuted: () => audio.muted,
    setVolume: (value) => {
      audio.volume = Math.min(1, Math.max(0, Number(value) / 100 || 0))
    },
    getVolume: () => Math.round(audio.volume * 100),
    getDuration: () => length(),
    setCurrentTime: (value) => seekTo(Number(value) || 0),
    getCurrentTime: () => position(),
    setLoop: (value) => {
      audio.loop = value === true
    },
    getLoop: () => audio.loop,
    addEventListener: (event, listener) => {
      const names = listeners.get(String(event)) ?? new Set()
      listeners.set(String(event), names.add(listener))
      if (event === 'ready') send({ event: 'ready', value: ready, listener })
    },
    removeEventListener: (event, listener) => void listeners.get(String(event))?.delete(listener),
  }
  const ready = { src: location.href, events: EVENTS, methods: Object.keys(methods) }

  addEventListener('message', ({ data, source }) => {
    const message = source === parent ? readMessage(data) : null
    const method = message?.method ?? ''
    if (!message || !Object.hasOwn(methods, method)) return
    const value = methods[method]?.(message.value, message.listener)
    if (value !== undefined) send({ event: method, value, listener: message.listener })
  })
  for (const name of ['play', 'pause', 'ended', 'seeked', 'error'] as const)
    audio.addEventListener(name, () => publish(name, name === 'error' ? { code: audio.error?.code ?? 0 } : undefined))
  audio.addEventListener('timeupdate', () => publish('timeupdate', { seconds: position(), duration: length() }))
  audio.addEventListener('progress', () => {
    const loaded = audio.buffered.length > 0 ? audio.buffered.end(audio.buffered.length - 1) : 0
    publish('progress', { percent: length() > 0 ? Math.min(1, loaded / length()) : 0 })
  })
  send({ event: 'ready', value: ready })
}

/** Returns null for anything that is not a message of the protocol. */
function readMessage(data: unknown): FrameMessage | null {
  try {
    const message: FrameMessage | null = typeof data === 'string' ? JSON.parse(data) : null
    return message?.context === CONTEXT.context ? message : null
  } catch {
    return null
  }
}
