/** Attributes of `<tonearm-player>`. All are optional but `src`. */
export interface PlayerAttributes {
  /** Address of a share page, or of its frame: `https://…/s/…` or `https://…/embed/…`. */
  src?: string
  /** Color of the player, `rrggbb`. Defaults to the colors of the cover. */
  color?: string
  /** `light`, `dark`, or `auto` (default), the scheme of the browser. */
  theme?: 'light' | 'dark' | 'auto'
  /** Seconds that the sound begins at. Defaults to 0. */
  start?: number | string
  /** `1` plays at once where the browser allows it. */
  autoplay?: '1'
  /** `off` leaves the tracks of a collection out. */
  list?: 'off'
}

const QUERY_NAMES = ['color', 'theme', 'start', 'autoplay', 'list'] as const
/** Events of the element. Those of a media element have the same meaning; `ready` is sent when the player has loaded. */
const EVENT_NAMES = ['ready', 'play', 'pause', 'ended', 'timeupdate', 'seeked', 'error'] as const
const CONTEXT = { context: 'player.js', version: '0.0.11' }
const LISTENER = 'tonearm-player'

interface FrameMessage {
  context?: string
  event?: string
  value?: { seconds?: number; duration?: number }
}

/** Returns the address of the frame. Null for an address that is not one of a share page. */
function toFrameUrl(src: string, query: Record<string, string>): URL | null {
  if (!URL.canParse(src, globalThis.location?.href)) return null
  const url = new URL(src, globalThis.location?.href)
  if (!/^https?:$/.test(url.protocol) || !/^\/(s|embed)\//.test(url.pathname)) return null
  url.pathname = url.pathname.replace(/^\/s\//, '/embed/')
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

/** Absent on servers, where the module can be imported, but defines no element. */
const BaseElement = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement)

/**
 * `<tonearm-player>`: the player of a share link in a frame, with the properties, methods and events of a media element. It is
 * 152 pixels high by default; a style of the page changes that.
 * @example
 * ```ts
 * const player = document.querySelector('tonearm-player')!
 * player.addEventListener('timeupdate', () => console.log(player.currentTime, player.duration))
 * player.play()
 * ```
 */
export class TonearmPlayerElement extends BaseElement {
  static readonly observedAttributes = ['src', 'title', ...QUERY_NAMES]

  #frame: HTMLIFrameElement | null = null
  /** Methods that were called before the player was ready, by their kind: the last call of each counts. */
  readonly #waiting = new Map<string, object>()
  #isReady = false
  #isPaused = true
  #isMuted = false
  #volume = 1
  #currentTime = 0
  #duration = 0

  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    // A sheet of the script: a page may forbid styles in its document.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(':host { display: block; height: 152px } iframe { width: 100%; height: 100%; border: 0 }')
    root.adoptedStyleSheets = [sheet]
    addEventListener('message', this.#receive)
    this.#load()
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.#receive)
    this.#frame?.remove()
    this.#frame = null
  }

  attributeChangedCallback(name: string): void {
    if (!this.isConnected || !this.shadowRoot) return
    if (name === 'title' && this.#frame) this.#frame.title = this.title
    else this.#load()
  }

  get src(): string {
    return this.getAttribute('src') ?? ''
  }
  set src(address: string) {
    this.setAttribute('src', address)
  }

  /** Whether the sound does not play. */
  get paused(): boolean {
    return this.#isPaused
  }

  /** Length in seconds. 0 until the sound plays. */
  get duration(): number {
    return this.#duration
  }

  /** Position in seconds. */
  get currentTime(): number {
    return this.#currentTime
  }
  set currentTime(seconds: number) {
    this.#currentTime = seconds
    this.#send('setCurrentTime', seconds)
  }

  /** 0 to 1. */
  get volume(): number {
    return this.#volume
  }
  set volume(volume: number) {
    this.#volume = Math.min(1, Math.max(0, volume))
    this.#send('setVolume', Math.round(this.#volume * 100))
  }

  get muted(): boolean {
    return this.#isMuted
  }
  set muted(isMuted: boolean) {
    this.#isMuted = isMuted
    this.#send(isMuted ? 'mute' : 'unmute', undefined, 'mute')
  }

  /** Plays, where the browser allows it: after a press on the page. That counts a play request. */
  play(): void {
    this.#send('play', undefined, 'playback')
  }

  pause(): void {
    this.#send('pause', undefined, 'playback')
  }

  #load(): void {
    this.#isReady = false
    this.#isPaused = true
    this.#currentTime = 0
    this.#duration = 0
    this.#frame?.remove()
    this.#frame = null
    if (this.src === '') return
    const query = Object.fromEntries(
      QUERY_NAMES.flatMap((name) => {
        const value = this.getAttribute(name)
        return value === null ? [] : [[name, value]]
      }),
    )
    const url = toFrameUrl(this.src, query)
    if (!url) return void this.dispatchEvent(new Event('error'))
    const frame = document.createElement('iframe')
    frame.allow = 'autoplay; clipboard-write'
    frame.title = this.title || 'Player'
    frame.src = url.href
    this.shadowRoot?.append(frame)
    this.#frame = frame
  }

  #send(method: string, value?: unknown, kind = method): void {
    const message = { ...CONTEXT, method, value }
    if (this.#isReady) this.#post(message)
    else this.#waiting.set(kind, message)
  }

  #post(message: object): void {
    const { src } = this.#frame ?? {}
    if (src) this.#frame?.contentWindow?.postMessage(JSON.stringify(message), new URL(src).origin)
  }

  readonly #receive = ({ source, data }: MessageEvent): void => {
    if (source === null || source !== this.#frame?.contentWindow) return
    const { event, value } = parseMessage(data)
    if (event === 'ready') this.#begin()
    else if (this.#isReady && event) this.#follow(event, value)
  }

  #begin(): void {
    // The player answers the subscription to `ready` by another message.
    if (this.#isReady) return
    this.#isReady = true
    for (const event of EVENT_NAMES)
      if (event !== 'ready') this.#post({ ...CONTEXT, method: 'addEventListener', value: event, listener: LISTENER })
    for (const message of this.#waiting.values()) this.#post(message)
    this.#waiting.clear()
    this.dispatchEvent(new Event('ready'))
  }

  #follow(event: string, value: FrameMessage['value']): void {
    if (!EVENT_NAMES.some((name) => name === event)) return
    if (event === 'play') this.#isPaused = false
    if (event === 'pause' || event === 'ended' || event === 'error') this.#isPaused = true
    if (event === 'timeupdate') {
      this.#currentTime = value?.seconds ?? this.#currentTime
      this.#duration = value?.duration ?? this.#duration
    }
    this.dispatchEvent(new Event(event))
  }
}

function parseMessage(data: unknown): FrameMessage {
  try {
    const message: FrameMessage | null = typeof data === 'string' ? JSON.parse(data) : null
    return message?.context === CONTEXT.context ? message : {}
  } catch {
    return {}
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tonearm-player': TonearmPlayerElement
  }
}

if (globalThis.customElements && !customElements.get('tonearm-player'))
  customElements.define('tonearm-player', TonearmPlayerElement)
