import { useMemo } from 'react'
import type { TrackDetailFragment as Track } from '../generated/operations.ts'
import { cutLevels, findPart } from './part.ts'
import { toPlayed } from './play-list.tsx'
import { computeLength, playable } from './playable.ts'
import { usePlayback, usePlaybackState } from './playback-context.tsx'
import { formatPosition, Seek } from './seek.tsx'

/** The waveform of a track as the control of the player at the foot. Nothing for a track that cannot be played. */
export function TrackWave({ track }: { track: Track }) {
  const playback = usePlayback()
  const isCurrent = usePlaybackState((state) => state.track?.id === track.id)
  const at = usePlaybackState((state) => (state.track?.id === track.id ? state.at : 0))
  const sound = usePlaybackState((state) => (state.track?.id === track.id ? state.sound : null))
  const playedLength = usePlaybackState((state) => (state.track?.id === track.id ? state.length : 0))
  const [file] = playable(track)
  const levels = useMemo(() => (file ? cutLevels(track, findPart(file)) : null), [track, file])
  if (!file) return null
  const length = playedLength || computeLength(file, track)
  // Chapters are places of the whole recording.
  const isWhole = findPart(file) === null && (!sound || sound.fileId === file.id)
  return (
    <div className={isCurrent ? 'track-wave current' : 'track-wave'}>
      <Seek
        levels={sound ? sound.levels : levels}
        at={at}
        length={length}
        isPlayed={isCurrent}
        chapters={isWhole ? track.chapters : undefined}
        onSeek={(seconds) => playback.playAt(toPlayed(track), seconds)}
      />
      <span className="time">{formatPosition(at, length)}</span>
    </div>
  )
}
