import './listen.css'
import { copyText } from '../copy-text.ts'
import { WAVE, wavePath } from '../wave.ts'

/** A track, as the page's data has it (roles/gateway/share). */
interface Track {
  id: string
  title: string
  subtitle: string
  durationSeconds: number | null
  levels: number[] | null
  cover: string | null
  /** Every size of the cover. */
  artwork: { src: string; sizes: string; type: string }[]
  colors: { light: string; dark: string }
  transcription: string | null
  transcriptionLanguage: string | null
  chapters: { title: string; startSeconds: number; url: string | null }[]
  stream: string
  /** Address of the track's own page. */
  page: string
}

interface PageData {
  track: Track
  /** Of a collection. */
  list: { id: string; title: string; durationSeconds: number | null; page: string; data: string }[]
  /** Title of the collection. Empty without one. */
  album: string
}

const SEEK_SECONDS = 5
/** A second failure within this time is shown instead of repeated. */
const RELOAD_MS = 10_000

const find = <E extends Element>(id: string) => document.getElementById(id) as unknown as E
const audio = new Audio()
const player = find<HTMLElement>('player')
const button = find<HTMLButtonElement>('play')
const seek = find<HTMLInputElement>('seek')
const copy = find<HTMLButtonElement>('copy')
const problem = find<HTMLElement>('problem')
const wave = find<SVGSVGElement>('wave')
const openLink = find<HTMLAnchorElement>('open')
const subjectPage = openLink.href
const { track: first, list, album }: PageData = JSON.parse(find<HTMLElement>('data').textContent ?? '')
let track = first
let failedAt = Number.NEGATIVE_INFINITY
/** Position to start from: the sound is not loaded before the first play. */
let start = Math.max(0, Number(new URLSearchParams(location.search).get('t')) || 0)

function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const visibleParts = parts[0] ? parts : parts.slice(1)
  return visibleParts.map((part, at) => String(part).padStart(at ? 2 : 1, '0')).join(':')
}

const length = () => (Number.isFinite(audio.duration) ? audio.duration : (track.durationSeconds ?? 0))
const position = () => (audio.readyState > 0 ? audio.currentTime : start)

function showPosition() {
  const [now, all] = [position(), length()]
  seek.max = String(Math.max(1, all))
  seek.value = String(now)
  seek.setAttribute('aria-valuetext', `${clock(now)} / ${clock(all)}`)
  find('now').textContent = clock(now)
  find('length').textContent = clock(all)
  wave.querySelector('rect')?.setAttribute('width', String(all > 0 ? (WAVE.width * now) / all : 0))
  markChapter(now)
}

/** Marks the chapter that contains the position. */
function markChapter(now: number) {
  const current = track.chapters.findLastIndex(({ startSeconds }) => startSeconds <= now)
  for (const [at, control] of document.querySelectorAll('.chapter').entries())
    control.setAttribute('aria-current', String(at === current))
}

/** Lists the chapters. Each is a button that moves to its start. */
function showChapters() {
  const section = find<HTMLElement>('chapters')
  section.hidden = track.chapters.length === 0
  find('chapter-list').replaceChildren(
    ...track.chapters.map(({ title, startSeconds, url }) => {
      const control = document.createElement('button')
      control.type = 'button'
      control.className = 'chapter'
      const time = document.createElement('span')
      time.textContent = clock(startSeconds)
      control.append(title, time)
      control.addEventListener('click', () => seekTo(startSeconds))
      const item = document.createElement('li')
      item.append(control)
      if (url) item.append(linkTo(url, `${section.dataset.about} ${title}`))
      return item
    }),
  )
}

function linkTo(url: string, label: string) {
  const link = document.createElement('a')
  link.className = 'about'
  link.href = url
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  link.textContent = '↗'
  link.setAttribute('aria-label', label)
  return link
}

/** Draws the levels twice: all of them, and the played part in the color of the track. */
function drawWave(levels: readonly number[]) {
  const make = (name: string, attributes: Record<string, string>) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    return element
  }
  const d = wavePath(levels)
  const clip = make('clipPath', { id: 'played' })
  clip.append(make('rect', { x: '0', y: '0', width: '0', height: String(WAVE.height) }))
  wave.replaceChildren(clip, make('path', { d }), make('path', { d, class: 'played', 'clip-path': 'url(#played)' }))
}

function show(next: Track) {
  track = next
  find('title').textContent = next.title
  find('subtitle').textContent = next.subtitle
  const cover = find<HTMLImageElement>('cover')
  cover.hidden = !next.cover
  if (next.cover) cover.src = next.cover
  document.documentElement.style.setProperty('--light', next.colors.light)
  document.documentElement.style.setProperty('--dark', next.colors.dark)
  drawWave(next.levels ?? [])
  const transcript = find<HTMLElement>('transcript')
  transcript.hidden = !next.transcription
  find('text').textContent = next.transcription
  find<HTMLElement>('text').lang = next.transcriptionLanguage ?? ''
  for (const link of document.querySelectorAll<HTMLElement>('#list a'))
    link.setAttribute('aria-current', String(link.dataset.id === next.id))
  showChapters()
  showPosition()
  if (!('mediaSession' in navigator)) return
  navigator.mediaSession.metadata = new MediaMetadata({
    title: next.title,
    artist: next.subtitle,
    album,
    artwork: next.artwork,
  })
}

/** Page of what plays: of the collection while its first track does, else of the track. */
const currentPage = () => (track.id === first.id ? subjectPage : new URL(track.page, location.href).href)

/** Says that the sound cannot be loaded: because the link has ended, or for a cause that may pass. */
async function showProblem() {
  const answer = await fetch(`${track.page}/data`).catch(() => null)
  problem.textContent = (answer?.status === 404 ? problem.dataset.ended : problem.dataset.failed) ?? ''
  problem.hidden = false
  showState()
}

async function play() {
  problem.hidden = true
  document.title = album ? `${track.title} · ${album}` : track.title
  openLink.href = currentPage()
  if (!audio.getAttribute('src')) load(start)
  // A pause that follows at once rejects the promise; a failure is an event of the element.
  await audio.play().catch(() => {})
}

/** Opens the stream link, which counts a play, and continues from a position. */
function load(from: number) {
  audio.src = track.stream
  audio.playbackRate = Number(find<HTMLSelectElement>('speed').value)
  start = from
  audio.addEventListener('loadedmetadata', () => (audio.currentTime = Math.min(start, length())), { once: true })
}

function seekTo(seconds: number) {
  const target = Math.min(Math.max(0, seconds), length())
  start = target
  const hasEnded = audio.ended
  if (audio.readyState > 0) audio.currentTime = target
  showPosition()
  // The end has paused the element, not the listener.
  if (hasEnded && target < length()) play()
}

const place = () => list.findIndex(({ id }) => id === track.id)

let lastChoice = 0

/** Plays another track of the collection. The last choice wins, in any order of the answers. */
async function playTrack(at: number) {
  const entry = list[at]
  if (!entry) return
  lastChoice += 1
  const choice = lastChoice
  const answer = await fetch(entry.data).catch(() => null)
  const next: Track | null = answer?.ok ? await answer.json() : null
  if (choice !== lastChoice) return
  if (!next) return showProblem()
  audio.removeAttribute('src')
  audio.load()
  start = 0
  show(next)
  await play()
}

button.addEventListener('click', () => (player.classList.contains('playing') ? audio.pause() : play()))
seek.addEventListener('input', () => seekTo(Number(seek.value)))
find('speed').addEventListener('change', (event) => {
  audio.playbackRate = Number((event.target as HTMLSelectElement).value)
})
const copyLabel = copy.textContent
copy.addEventListener('click', async () => {
  const address = new URL(currentPage())
  address.searchParams.set('t', String(Math.floor(position())))
  const isCopied = await copyText(address.href)
  copy.textContent = (isCopied ? player.dataset.copied : player.dataset.notCopied) ?? ''
  setTimeout(() => (copy.textContent = copyLabel), 2000)
})
document.addEventListener('keydown', (event) => {
  const isControl = event.target instanceof Element && event.target.closest('button, input, select, a, summary')
  if (isControl || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === ' ') button.click()
  else if (event.key === 'ArrowLeft') seekTo(position() - SEEK_SECONDS)
  else if (event.key === 'ArrowRight') seekTo(position() + SEEK_SECONDS)
  else return
  event.preventDefault()
})

function showState() {
  const isPlaying = !audio.paused && problem.hidden !== false
  player.classList.toggle('playing', isPlaying)
  button.setAttribute('aria-label', (isPlaying ? player.dataset.pause : player.dataset.play) ?? '')
}

for (const name of ['play', 'pause', 'ended'] as const) audio.addEventListener(name, showState)
for (const name of ['timeupdate', 'durationchange', 'seeked'] as const) audio.addEventListener(name, showPosition)
audio.addEventListener('ended', () => playTrack(place() + 1))
audio.addEventListener('error', () => {
  if (!audio.getAttribute('src')) return
  const from = audio.currentTime || start
  const isSecond = performance.now() - failedAt < RELOAD_MS
  failedAt = performance.now()
  if (isSecond) {
    audio.pause()
    audio.removeAttribute('src')
    start = from
    void showProblem()
    return
  }
  // The signed address of the file expires after an hour. The stream link redirects to a new one.
  load(from)
  play()
})

if ('mediaSession' in navigator) {
  const actions: [MediaSessionAction, MediaSessionActionHandler][] = [
    ['play', () => play()],
    ['pause', () => audio.pause()],
    ['seekto', ({ seekTime }) => seekTo(seekTime ?? 0)],
    ['seekbackward', ({ seekOffset }) => seekTo(position() - (seekOffset ?? SEEK_SECONDS))],
    ['seekforward', ({ seekOffset }) => seekTo(position() + (seekOffset ?? SEEK_SECONDS))],
  ]
  if (list.length > 0) {
    actions.push(['previoustrack', () => playTrack(place() - 1)], ['nexttrack', () => playTrack(place() + 1)])
  }
  for (const [action, handler] of actions) navigator.mediaSession.setActionHandler(action, handler)
}

find<HTMLElement>('tracks').hidden = list.length === 0
find('list').replaceChildren(
  ...list.map(({ id, title, durationSeconds, page }, at) => {
    const link = document.createElement('a')
    link.href = page
    link.dataset.id = id
    link.textContent = `${at + 1}. ${title}`
    link.addEventListener('click', (event) => {
      event.preventDefault()
      playTrack(at)
    })
    const time = document.createElement('span')
    time.textContent = durationSeconds === null ? '' : clock(durationSeconds)
    const item = document.createElement('li')
    item.append(link, time)
    return item
  }),
)
show(first)
player.hidden = false
