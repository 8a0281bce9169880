import type { ComponentProps } from 'react'
import { useLocation } from 'wouter'
import { formatClock, t } from '../../strings.ts'
import { useFollow, type usePages } from '../api.ts'
import { TrackChangesDocument, type TrackRowFragment } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Cover } from '../ui/cover.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Status } from '../ui/track-status.tsx'
import { EditRowButton, EditRows } from './edit-row.tsx'
import { PlayInList, PlayListProvider } from './play-list.tsx'
import { SelectedTracks } from './selected/selected-tracks.tsx'
import { useSelection } from './selected/use-selection.ts'
import { Wave } from './wave.tsx'

const BARS = 80
const ROW_PX = 56

const textOf = ({ title }: TrackRowFragment) => title
const renderRow = (track: TrackRowFragment) => (
  <>
    <PlayInList id={track.id} title={track.title} />
    <Cover url={track.coverImage?.small.url} title={track.title} />
    <span className="name">
      <strong>{track.title}</strong>
      {track.artist && <small>{track.artist}</small>}
    </span>
    <EditRowButton title={track.title} />
    {track.levels && <Wave levels={track.levels.levels} bars={BARS} />}
    {track.status !== 'READY' && <Status {...track} />}
    <span className="duration">{track.duration !== null && formatClock(track.duration)}</span>
  </>
)

/** A list of tracks, page by page. */
export type Pages = ReturnType<typeof usePages<unknown, { after?: string | null }, TrackRowFragment>>

interface Props extends Pick<ComponentProps<typeof PagedList>, 'empty' | 'dragAndDropHooks'> {
  pages: Pages
  /** Limits the shown changes to a collection. */
  collectionId?: string
  /** Whether the list shows every new track at its end. */
  isWhole: boolean
}

/** A list of tracks, which changes with their states. Several of them can be selected and changed together. */
export function TrackList({ pages, collectionId, isWhole, ...props }: Props) {
  const [, navigate] = useLocation()
  const selection = useSelection(pages.nodes)
  const canWrite = useCanWrite()
  useFollow(TrackChangesDocument, { collectionId }, ({ trackChanged: { trackId, isDeleted, track } }) => {
    const isLoaded = pages.nodes.some(({ id }) => id === trackId)
    if (isLoaded) pages.replace(trackId, isDeleted ? null : track)
    // Begins again while the list is being read: what was read may be older than this state.
    else if (isWhole && !isDeleted && !pages.hasMore) void pages.refetch()
  })
  return (
    <PlayListProvider nodes={pages.nodes}>
      <EditRows pages={pages} canWrite={canWrite}>
        <PagedList
          {...props}
          label={t('studio.tracks')}
          pages={pages}
          textOf={textOf}
          rowHeight={ROW_PX}
          onOpen={(id) => navigate(`/track/${id}`)}
          selection={canWrite ? selection : undefined}
        >
          {renderRow}
        </PagedList>
      </EditRows>
      {canWrite && <SelectedTracks selection={selection} pages={pages} collectionId={collectionId} />}
    </PlayListProvider>
  )
}
