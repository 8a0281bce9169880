import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { formatClock, t } from '../../strings.ts'
import type { TrackDetailFragment as Track } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/field.tsx'
import { cutLevels, findPart } from './part.ts'
import { computeLength, type PlayableFile, playable } from './playable.ts'
import { takeSound } from './sole-sound.ts'
import { Wave } from './wave.tsx'

interface Props {
  track: Track
  reload: () => Promise<Track | null | undefined>
}

/** A second failure within this time is shown instead of repeated. */
const RELOAD_MS = 10_000

/** Plays a file of the track. */
export function Player({ track, reload }: Props) {
  const files = playable(track)
  const [first] = files
  const [chosen, choose] = useState(first?.id)
  const file = files.find(({ id }) => id === chosen) ?? first
  if (!file) return null
  return (
    <section className="card player" aria-label={t('library.player')}>
      <Sound key={file.id} file={file} track={track} reload={reload} />
      {files.length > 1 && (
        <Choice
          label={t('library.file')}
          name="file"
          choices={files.map(({ id, variant }) => ({ id, text: variant.index }))}
          defaultValue={file.id}
          onChange={choose}
        />
      )}
    </section>
  )
}

const EVENTS = ['play', 'pause', 'ended', 'timeupdate', 'durationchange', 'error'] as const

function createAudio(src: string): HTMLAudioElement {
  const audio = new Audio()
  audio.preload = 'none'
  audio.src = src
  return audio
}

function Sound({ file, track, reload }: Props & { file: PlayableFile }) {
  // The address stays while the sound plays, although each reading of the track may sign another one.
  const [audio] = useState(() => createAudio(file.url))
  const failedAt = useRef(Number.NEGATIVE_INFINITY)
  const [isPlaying, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(() => computeLength(file, track))
  const [isFailed, setFailed] = useState(false)
  const levels = useMemo(() => cutLevels(track, findPart(file)), [track, file])
  const seek = (seconds: number) => {
    setAt(seconds)
    audio.currentTime = seconds
  }
  const toggle = () => {
    setFailed(false)
    if (isPlaying) audio.pause()
    // A pause that follows at once rejects the promise; a failure is an event of the element.
    else void audio.play().catch(() => {})
  }
  /** The signed address expires after an hour. A second failure within a few seconds is shown. */
  const renew = async () => {
    const isSecond = performance.now() - failedAt.current < RELOAD_MS
    failedAt.current = performance.now()
    setPlaying(false)
    const next = isSecond ? null : (await reload())?.files.find(({ id }) => id === file.id)?.url
    if (!next) return setFailed(true)
    audio.src = next
    audio.currentTime = at
    void audio.play().catch(() => {})
  }
  const follow = useEffectEvent(({ type }: Event) => {
    if (type === 'error') return void renew()
    if (type === 'play') takeSound(audio)
    setPlaying(!audio.paused)
    setAt(audio.currentTime)
    if (Number.isFinite(audio.duration)) setLength(audio.duration)
  })
  useEffect(() => {
    const stop = new AbortController()
    for (const type of EVENTS) audio.addEventListener(type, (event) => follow(event), { signal: stop.signal })
    return () => {
      stop.abort()
      audio.pause()
      audio.removeAttribute('src')
      audio.load()
    }
  }, [audio])
  const positionText = `${formatClock(at)} / ${formatClock(length)}`
  return (
    <>
      <Button className="play" aria-label={t(isPlaying ? 'listen.pause' : 'listen.play')} onPress={toggle}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={isPlaying ? 'M6 4h4v16H6zm8 0h4v16h-4z' : 'M7 4v16l13-8z'} />
        </svg>
      </Button>
      <div className={levels ? 'seek' : 'seek plain'} style={{ color: formatColor(track) }}>
        {levels && <Wave levels={levels} played={length > 0 ? at / length : 0} />}
        <input
          type="range"
          min="0"
          max={Math.max(1, length)}
          step="1"
          value={at}
          aria-label={t('listen.position')}
          aria-valuetext={positionText}
          onChange={({ target }) => seek(Number(target.value))}
        />
      </div>
      <span className="time">{positionText}</span>
      {isFailed && (
        <p className="problem" role="alert">
          {t('listen.failed')}
        </p>
      )}
    </>
  )
}

const formatColor = ({ playerColorLight, playerColorDark }: Track) =>
  playerColorLight && playerColorDark ? `light-dark(${playerColorLight}, ${playerColorDark})` : 'var(--accent)'
