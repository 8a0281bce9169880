import './listen.css'
import './embed.css'
import { followListening } from '../../client/listening.ts'
import { markChapter, showChapters } from './chapters.ts'
import { drawCover } from './drawn-cover.ts'
import { startFrameMessages } from './frame-messages.ts'
import { keepPosition, keepValue, readKept, readPosition } from './kept-values.ts'
import { clock, describeLength, find, isEmbedded, pageData, type Track, text } from './page.ts'
import { openShareSheet } from './share-sheet.ts'
import { isLastTrack, startSleepTimer } from './sleep-timer.ts'
import { createSound } from './sound.ts'
import { markTrack, showTracks } from './track-list.ts'
import { markCue, showTranscript } from './transcript.ts'
import { drawWave, showProgress } from './wave-control.ts'

const SEEK_SECONDS = 5
const SKIP_SECONDS = 15
const VOLUME_STEP = 0.1
/** A second failure within this time is shown instead of repeated. */
const RELOAD_MS = 10_000
/** Previous goes to the start of a track first. */
const RESTART_SECONDS = 3

const { list, album, track: first } = pageData
const audio = new Audio()
const sound = createSound(audio, recover)
const player = find<HTMLElement>('player')
const button = find<HTMLButtonElement>('play')
const seek = find<HTMLInputElement>('seek')
const speed = find<HTMLSelectElement>('speed')
const volume = find<HTMLInputElement>('volume')
const problem = find<HTMLElement>('problem')
const openLink = find<HTMLAnchorElement>('open')
const subjectPage = openLink.href
/** The heading of a collection names it. */
const albumArtist = list.length > 0 ? document.querySelector('.by')?.textContent : null
let track = first
let endReports = () => {}
let failedAt = Number.NEGATIVE_INFINITY
/** Position to start from: the sound is not loaded before the first play. */
let start = readStart()

/** The time of the link, else the position at which the recording was left. */
function readStart(): number {
  const query = new URLSearchParams(location.search)
  const linked = Number(query.get('t') ?? query.get('start') ?? Number.NaN)
  return Number.isFinite(linked) ? Math.max(0, linked) : readPosition(first.id)
}

const length = () => (Number.isFinite(audio.duration) ? audio.duration : (track.durationSeconds ?? 0))
const position = () => (audio.readyState > 0 ? audio.currentTime : start)
const loadedEnd = () => {
  const { buffered, currentTime } = audio
  for (let at = 0; at < buffered.length; at++)
    if (buffered.start(at) <= currentTime && currentTime <= buffered.end(at)) return buffered.end(at)
  return 0
}

function showPosition() {
  const now = position()
  showProgress(now, length(), loadedEnd())
  markChapter(track.chapters, now)
  markCue(now)
}

function show(next: Track) {
  track = next
  endReports()
  endReports = followListening(audio, next.listening)
  find('title').textContent = next.title
  find('subtitle').textContent = next.subtitle === albumArtist ? '' : next.subtitle
  showCover(next)
  if (!pageData.isColorFixed) {
    for (const [scheme, colors] of Object.entries(next.palette))
      for (const [name, color] of Object.entries(colors))
        document.documentElement.style.setProperty(`--${scheme}-${name}`, color)
  }
  drawWave(next)
  showTranscript(next, seekTo)
  showDownload(next)
  markTrack(next.id)
  showChapters(next.chapters, seekTo)
  showPosition()
  const place = findPlace()
  find<HTMLButtonElement>('next').disabled = place < 0 || place === list.length - 1
  if (!('mediaSession' in navigator)) return
  navigator.mediaSession.metadata = new MediaMetadata({
    title: next.title,
    artist: next.subtitle,
    album,
    artwork: next.artwork,
  })
}

function showCover({ cover, levels }: Track) {
  const [image, drawing] = [find<HTMLImageElement>('cover'), find<SVGSVGElement>('drawn-cover')]
  image.hidden = !cover
  drawing.toggleAttribute('hidden', cover !== null)
  if (cover) image.src = cover
  else drawCover(drawing, levels ?? [])
}

function showDownload({ download }: Track) {
  const link = find<HTMLAnchorElement>('download')
  link.hidden = download === null
  if (download !== null) link.href = download
}

/** Number of tracks, length and year. */
function showFacts() {
  const seconds = list.length > 0 ? list.map(({ durationSeconds }) => durationSeconds ?? 0) : [length()]
  const count = list.length === 1 ? text('track1') : text('tracks', { count: list.length })
  const total = describeLength(seconds.reduce((sum, one) => sum + one, 0))
  find('facts').textContent = [list.length > 0 ? count : null, total, first.year].filter(Boolean).join(' · ')
}

/** Page of what plays: of the collection while its first track does, else of the track. */
const currentPage = () => (track.id === first.id ? subjectPage : new URL(track.page, location.href).href)

/** Says why the sound cannot be loaded: a limit of the link, its end, or a cause that may pass. */
async function showProblem() {
  problem.textContent = problem.dataset[await findCause()] ?? ''
  problem.hidden = false
  setBuffering(false)
  showState()
}

/** @returns the limit that refuses the play, `ended` or `failed` */
async function findCause(): Promise<string> {
  const page = await fetch(`${track.page}/data`).catch(() => null)
  if (page?.status === 404) return 'ended'
  // A redirect to the file is not followed.
  const stream = await fetch(track.stream, { redirect: 'manual' }).catch(() => null)
  return stream?.headers.get('tonearm-refusal') ?? 'failed'
}

async function play() {
  problem.hidden = true
  document.title = album ? `${track.title} · ${album}` : track.title
  openLink.href = currentPage()
  if (!sound.isLoaded()) await load(start)
  if (audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) setBuffering(true)
  // A pause that follows at once rejects the promise; a failure is an event of the element.
  await audio.play().catch(() => setBuffering(false))
}

/** Opens the stream link, which counts a play, and continues from a position. */
async function load(from: number) {
  start = from
  audio.addEventListener('loadedmetadata', () => (audio.currentTime = Math.min(start, length())), { once: true })
  const loading = sound.load(track, from)
  // In the turn of the click, if it can be: browsers start no sound without one.
  if (loading) await loading
  audio.playbackRate = Number(speed.value)
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

const findPlace = () => list.findIndex(({ id }) => id === track.id)

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
  sound.unload()
  start = readPosition(next.id)
  show(next)
  find('live').textContent = text('now', { name: next.title })
  await play()
}

function playPrevious() {
  if (position() > RESTART_SECONDS || findPlace() < 1) seekTo(0)
  else playTrack(findPlace() - 1)
}

const togglePlay = () => (player.classList.contains('playing') ? audio.pause() : play())
const toggleMute = () => (audio.muted = !audio.muted)
const setVolume = (value: number) => {
  audio.muted = false
  audio.volume = Math.min(1, Math.max(0, value))
  keepValue('volume', String(audio.volume))
}
const setSpeed = (value: string) => {
  speed.value = value
  if (speed.value !== value) speed.value = '1'
  audio.playbackRate = Number(speed.value)
}

const clicks: Record<string, () => unknown> = {
  play: togglePlay,
  mute: toggleMute,
  previous: playPrevious,
  next: () => playTrack(findPlace() + 1),
  back: () => seekTo(position() - SKIP_SECONDS),
  forward: () => seekTo(position() + SKIP_SECONDS),
  'open-keys': () => find<HTMLDialogElement>('keys').showModal(),
}
for (const [id, handler] of Object.entries(clicks)) find(id).addEventListener('click', handler)

seek.addEventListener('input', () => seekTo(Number(seek.value)))
speed.addEventListener('change', () => {
  setSpeed(speed.value)
  keepValue('speed', speed.value)
})
volume.addEventListener('input', () => setVolume(Number(volume.value)))
audio.addEventListener('volumechange', () => {
  volume.value = String(audio.muted ? 0 : audio.volume)
  player.classList.toggle('muted', audio.muted || audio.volume === 0)
  find('mute').setAttribute('aria-label', text(audio.muted ? 'unmute' : 'mute'))
})

const keys: Record<string, () => unknown> = {
  ' ': () => button.click(),
  k: togglePlay,
  ArrowLeft: () => seekTo(position() - SEEK_SECONDS),
  ArrowRight: () => seekTo(position() + SEEK_SECONDS),
  ArrowUp: () => setVolume(audio.volume + VOLUME_STEP),
  ArrowDown: () => setVolume(audio.volume - VOLUME_STEP),
  j: () => seekTo(position() - SKIP_SECONDS),
  l: () => seekTo(position() + SKIP_SECONDS),
  p: playPrevious,
  n: () => playTrack(findPlace() + 1),
  m: toggleMute,
  '?': () => find<HTMLDialogElement>('keys').showModal(),
}
document.addEventListener('keydown', (event) => {
  const control = event.target instanceof Element && event.target.closest('input, select, button, a, summary')
  // Buttons and links have a meaning for two keys, fields for all.
  const isUsed = control && (control.matches('input, select') || [' ', 'Enter'].includes(event.key))
  const isSheetOpen = document.querySelector('dialog[open]') !== null
  if (isUsed || isSheetOpen || event.ctrlKey || event.metaKey || event.altKey) return
  if (!Object.hasOwn(keys, event.key)) return
  keys[event.key]?.()
  event.preventDefault()
})

function setBuffering(isBuffering: boolean) {
  player.classList.toggle('buffering', isBuffering)
  player.setAttribute('aria-busy', String(isBuffering))
}

function showState() {
  const isPlaying = !audio.paused && problem.hidden !== false
  player.classList.toggle('playing', isPlaying)
  find('tracks').classList.toggle('playing', isPlaying)
  button.setAttribute('aria-label', text(isPlaying ? 'pause' : 'play'))
}

for (const name of ['play', 'pause', 'ended'] as const) audio.addEventListener(name, showState)
for (const name of ['timeupdate', 'durationchange', 'seeked', 'progress'] as const)
  audio.addEventListener(name, showPosition)
for (const name of ['playing', 'pause', 'ended'] as const) audio.addEventListener(name, () => setBuffering(false))
audio.addEventListener('waiting', () => setBuffering(true))
for (const name of ['pause', 'timeupdate'] as const)
  audio.addEventListener(name, () => audio.readyState > 0 && keepPosition(track.id, position(), length()))
audio.addEventListener('ended', () => isLastTrack() || playTrack(findPlace() + 1))
audio.addEventListener('error', recover)

/** Loads the sound again after a failure, and shows a second one. */
async function recover() {
  if (!sound.isLoaded()) return
  const from = audio.currentTime || start
  const isSecond = performance.now() - failedAt < RELOAD_MS
  failedAt = performance.now()
  if (isSecond) {
    audio.pause()
    sound.unload()
    start = from
    void showProblem()
    return
  }
  // The signed address of the file expires after an hour. The stream link redirects to a new one.
  await load(from)
  await play()
}

if ('mediaSession' in navigator) {
  const actions: [MediaSessionAction, MediaSessionActionHandler][] = [
    ['play', () => play()],
    ['pause', () => audio.pause()],
    ['seekto', ({ seekTime }) => seekTo(seekTime ?? 0)],
    ['seekbackward', ({ seekOffset }) => seekTo(position() - (seekOffset ?? SKIP_SECONDS))],
    ['seekforward', ({ seekOffset }) => seekTo(position() + (seekOffset ?? SKIP_SECONDS))],
  ]
  if (list.length > 0) {
    actions.push(['previoustrack', playPrevious], ['nexttrack', () => playTrack(findPlace() + 1)])
  }
  for (const [action, handler] of actions) navigator.mediaSession.setActionHandler(action, handler)
}

setSpeed(readKept('speed') ?? '1')
audio.volume = Math.min(1, Math.max(0, Number(readKept('volume') ?? 1)))
startSleepTimer(() => audio.pause())
openShareSheet(() => ({ title: track.title, address: currentPage(), seconds: position() }))
showTracks(playTrack)
show(first)
showFacts()
if (start > 0) find('live').textContent = text('resumed', { time: clock(start) })
if (isEmbedded) {
  startFrameMessages({ audio, play, seekTo, position, length })
  if (new URLSearchParams(location.search).get('autoplay') === '1') play()
}
