import { Link, useParams } from 'wouter'
import { formatLength, t } from '../../strings.ts'
import { useData, usePages } from '../api.ts'
import {
  type CollectionDetailFragment as Collection,
  CollectionDocument,
  CollectionTracksDocument,
} from '../generated/operations.ts'
import { SubjectLinks } from '../link/subject-links.tsx'
import { useCanWrite } from '../role.ts'
import { Answered } from '../ui/answer.tsx'
import { Cover } from '../ui/cover.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { UploadInto } from '../upload/upload-into.tsx'
import { CollectionActions } from './collection-actions.tsx'
import { formatTrackCount } from './count.ts'
import { findMusicColor, setMusicColor } from './music-color.ts'
import { SortChoice, useListSort } from './order/sort-choice.tsx'
import { useReorder } from './order/use-reorder.ts'
import { PlayAll } from './play-list.tsx'
import { TrackFilters, useTrackFilters } from './track-filters.tsx'
import { type Pages, TrackList } from './track-list.tsx'

/** Number of tracks that a person finds without filters. */
const MAX_WITHOUT_FILTERS = 10
const nothing = { edges: [], pageInfo: { hasNextPage: false } }

/** A collection and its tracks, in their order. */
export default function CollectionPage() {
  const { id = '' } = useParams()
  return (
    <Answered of={useData(CollectionDocument, { id })} list={{ path: '/collections', name: 'studio.collections' }}>
      {({ collection }) => collection && <Content key={collection.id} collection={collection} />}
    </Answered>
  )
}

function Content({ collection }: { collection: Collection }) {
  const filters = useTrackFilters()
  const sort = useListSort('album')
  const pages = usePages(
    CollectionTracksDocument,
    { id: collection.id, ...filters.variables, order: sort.order },
    (data) => data.collection?.tracks ?? nothing,
  )
  const order = useReorder(pages)
  const isWhole = !filters.isLimited && sort.isDefault
  const isOrdered = useCanWrite() && isWhole
  const hasTracks = collection.tracks.totalCount > 0
  const isFilterable = !isWhole || collection.tracks.totalCount > MAX_WITHOUT_FILTERS
  return (
    <div className="collection" style={setMusicColor(findMusicColor(collection))}>
      <Head collection={collection} pages={pages} />
      <SubjectLinks collectionId={collection.id} />
      {hasTracks && (
        <div className="toolbar">
          {isFilterable && (
            <>
              <TrackFilters filters={filters} />
              <SortChoice of={sort} isOfCollection />
            </>
          )}
          <UploadInto collectionId={collection.id} isWholeWindow isButton />
        </div>
      )}
      {!hasTracks && <UploadInto collectionId={collection.id} isWholeWindow />}
      <TrackList
        key={String(isOrdered)}
        pages={pages}
        dragAndDropHooks={isOrdered ? order : undefined}
        collectionId={collection.id}
        isWhole={isWhole}
        empty={<EmptyState text={t(filters.isLimited ? 'library.noMatch' : 'library.noTracks')} />}
      />
    </div>
  )
}

interface HeadProps {
  collection: Collection
  pages: Pages
}

function Head({ collection, pages: { nodes, hasMore, refetch } }: HeadProps) {
  const { title, playerSubtitle, creator, coverImage, effectivePlayerColor, tracks } = collection
  const isWhole = !hasMore && nodes.length === tracks.totalCount
  const seconds = nodes.reduce((sum, { duration }) => sum + (duration ?? 0), 0)
  const facts = [formatTrackCount(tracks.totalCount), isWhole && seconds > 0 && formatLength(seconds)]
  return (
    <header className="record-head">
      <Cover
        url={coverImage?.regular.url}
        title={title}
        color={effectivePlayerColor}
        levels={tracks.nodes[0]?.levels?.levels}
      />
      <div>
        <Link href="/collections">{t('studio.collections')}</Link>
        <PageHeading text={title} />
        {playerSubtitle && <p className="artist">{playerSubtitle}</p>}
        {creator && (
          <p className={playerSubtitle ? 'quiet' : 'artist'}>
            <Link href={`/creator/${creator.id}`}>{creator.organizationIndex}</Link>
          </p>
        )}
        <p className="quiet">{facts.filter(Boolean).join(' · ')}</p>
        <div className="toolbar">
          <PlayAll nodes={nodes} />
          <CollectionActions collection={collection} refetch={refetch} />
        </div>
      </div>
    </header>
  )
}
