import { Pause, Play, SkipBack, SkipForward, X } from 'lucide'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { Icon } from '../../design/icon.tsx'
import { t } from '../../strings.ts'
import { Button } from '../ui/button.tsx'
import { Cover } from '../ui/cover.tsx'
import { setMusicColor } from './music-color.ts'
import type { Playback } from './playback.ts'
import { usePlayback, usePlaybackState } from './playback-context.tsx'
import { formatPosition, Seek } from './seek.tsx'

/** The player at the foot of each part. Nothing before the first play. */
export function PlayerBar() {
  const playback = usePlayback()
  const state = usePlaybackState((all) => all)
  const { track, sound, isPlaying, at, length, isFailed } = state
  useKeys(playback)
  useMediaKeys(playback)
  if (!track) return null
  return (
    <section
      className="player-bar"
      aria-label={t('library.player')}
      style={sound ? setMusicColor(sound.color) : undefined}
    >
      <Cover url={track.coverUrl} title={track.title} color={sound?.color} />
      <span className="name">
        <Link href={`/track/${track.id}`}>{track.title}</Link>
        {isFailed ? (
          <small className="problem" role="alert">
            {t('library.notPlayed')}
          </small>
        ) : (
          track.artist && <small>{track.artist}</small>
        )}
      </span>
      <span className="controls">
        <Button kind="bare" aria-label={t('library.previous')} onPress={playback.previous}>
          <Icon of={SkipBack} />
        </Button>
        <Button kind="music" aria-label={t(isPlaying ? 'listen.pause' : 'listen.play')} onPress={playback.toggle}>
          <Icon of={isPlaying ? Pause : Play} />
        </Button>
        <Button kind="bare" aria-label={t('library.next')} onPress={playback.next} isDisabled={!state.hasNext}>
          <Icon of={SkipForward} />
        </Button>
      </span>
      <div className="position">
        <Seek levels={sound?.levels ?? null} at={at} length={length} onSeek={playback.seek} />
      </div>
      <span className="time">{formatPosition(at, length)}</span>
      <Button kind="bare" aria-label={t('library.closePlayer')} onPress={playback.close}>
        <Icon of={X} />
      </Button>
    </section>
  )
}

/** The space bar plays and pauses, where it has no other meaning. */
function useKeys({ read, toggle }: Playback) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isFree =
        event.target === document.body || (event.target instanceof Element && event.target.id === 'content')
      if (event.key !== ' ' || !isFree || !read().track) return
      event.preventDefault()
      toggle()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [read, toggle])
}

/** Keys of the keyboard, the headphones and the locked screen. */
function useMediaKeys({ toggle, next, previous }: Playback) {
  const track = usePlaybackState((state) => state.track)
  useEffect(() => {
    const media = navigator.mediaSession
    if (!media || !track) return
    const artwork = track.coverUrl ? [{ src: track.coverUrl }] : []
    media.metadata = new MediaMetadata({ title: track.title, artist: track.artist ?? '', artwork })
    media.setActionHandler('play', toggle)
    media.setActionHandler('pause', toggle)
    media.setActionHandler('nexttrack', next)
    media.setActionHandler('previoustrack', previous)
    return () => {
      media.metadata = null
      for (const action of ['play', 'pause', 'nexttrack', 'previoustrack'] as const)
        media.setActionHandler(action, null)
    }
  }, [track, toggle, next, previous])
}
