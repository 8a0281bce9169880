import { Pause, Play } from 'lucide'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { Icon } from '../../design/icon.tsx'
import { formatNumber, t } from '../../strings.ts'
import type { TrackRowFragment } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import type { PlayedTrack } from './playback.ts'
import { usePlayback, usePlaybackState } from './playback-context.tsx'

interface PlayList {
  tracks: readonly PlayedTrack[]
  /** Places by ID, from 0. */
  places: ReadonlyMap<string, number>
}

const PlayListContext = createContext<PlayList>({ tracks: [], places: new Map() })

export const toPlayed = (track: TrackRowFragment): PlayedTrack => ({
  id: track.id,
  title: track.title,
  artist: track.artist,
  coverUrl: track.coverImage?.small.url,
  duration: track.duration ?? null,
})

interface Props {
  nodes: readonly TrackRowFragment[]
  children: ReactNode
}

/** The list from which its rows play. */
export function PlayListProvider({ nodes, children }: Props) {
  const list = useMemo(
    () => ({ tracks: nodes.map(toPlayed), places: new Map(nodes.map(({ id }, at) => [id, at])) }),
    [nodes],
  )
  return <PlayListContext value={list}>{children}</PlayListContext>
}

/** The button that plays a track of the list. Shows the number of its place until the row is pointed at. */
export function PlayInList({ id, title }: { id: string; title: string }) {
  const { tracks, places } = useContext(PlayListContext)
  const playback = usePlayback()
  const isCurrent = usePlaybackState(({ track }) => track?.id === id)
  const isPlaying = usePlaybackState(({ track, isPlaying }) => track?.id === id && isPlaying)
  const place = places.get(id) ?? 0
  const play = () => {
    const track = tracks[place]
    if (track) playback.play(track, tracks)
  }
  return (
    <span className={isCurrent ? 'number current' : 'number'}>
      <span aria-hidden="true">{formatNumber(place + 1)}</span>
      <Button
        kind="bare"
        aria-label={t(isPlaying ? 'library.pauseTrack' : 'library.playTrack', { title })}
        onPress={play}
      >
        <Icon of={isPlaying ? Pause : Play} />
      </Button>
    </span>
  )
}

/** The large button that plays a list from its first track. Nothing for a list without tracks that have sound. */
export function PlayAll({ nodes }: { nodes: readonly TrackRowFragment[] }) {
  const playback = usePlayback()
  const currentId = usePlaybackState(({ track }) => track?.id)
  const isPlaying = usePlaybackState((state) => state.isPlaying)
  const tracks = useMemo(() => nodes.filter(({ duration }) => duration !== null).map(toPlayed), [nodes])
  const [first] = tracks
  if (!first) return null
  const current = tracks.find(({ id }) => id === currentId)
  const isPause = current !== undefined && isPlaying
  return (
    <Button className="play-all" onPress={() => playback.play(current ?? first, tracks)}>
      <Icon of={isPause ? Pause : Play} />
      {t(isPause ? 'listen.pause' : 'listen.play')}
    </Button>
  )
}
