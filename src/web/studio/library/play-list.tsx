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
  byId: ReadonlyMap<string, PlayedTrack>
  /** Places by ID, from 0, also of tracks without sound. */
  places: ReadonlyMap<string, number>
}

const PlayListContext = createContext<PlayList>({ tracks: [], byId: new Map(), places: new Map() })

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
  const list = useMemo(() => {
    const tracks = selectPlayed(nodes)
    const byId = new Map(tracks.map((track) => [track.id, track]))
    return { tracks, byId, places: new Map(nodes.map(({ id }, at) => [id, at])) }
  }, [nodes])
  return <PlayListContext value={list}>{children}</PlayListContext>
}

/** The tracks that have sound. */
const selectPlayed = (nodes: readonly TrackRowFragment[]) =>
  nodes.filter(({ duration }) => duration !== null).map(toPlayed)

/**
 * The button that plays a track of the list. Shows the number of its place until the row is pointed at, and nothing else
 * for a track without sound.
 */
export function PlayInList({ id, title }: { id: string; title: string }) {
  const { tracks, byId, places } = useContext(PlayListContext)
  const playback = usePlayback()
  const isCurrent = usePlaybackState(({ track }) => track?.id === id)
  const isPlaying = usePlaybackState(({ track, isPlaying }) => track?.id === id && isPlaying)
  const number = <span aria-hidden="true">{formatNumber((places.get(id) ?? 0) + 1)}</span>
  const track = byId.get(id)
  if (!track) return <span className="number">{number}</span>
  return (
    <span className={isCurrent ? 'number current' : 'number'}>
      {number}
      <Button
        kind="bare"
        aria-label={t(isPlaying ? 'library.pauseTrack' : 'library.playTrack', { title })}
        onPress={() => playback.play(track, tracks)}
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
  const tracks = useMemo(() => selectPlayed(nodes), [nodes])
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
