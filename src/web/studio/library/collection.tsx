import { Link, useParams } from 'wouter'
import { formatNumber, t } from '../../strings.ts'
import { useData, usePages } from '../api.ts'
import {
  type CollectionDetailFragment as Collection,
  CollectionDocument,
  CollectionTracksDocument,
} from '../generated/operations.ts'
import { SubjectLinks } from '../link/subject-links.tsx'
import { useCanWrite } from '../role.ts'
import { Answered } from '../ui/answer.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { UploadInto } from '../upload/upload-into.tsx'
import { UploadLink } from '../upload/upload-link.tsx'
import { CollectionActions } from './collection-actions.tsx'
import { Cover } from './cover.tsx'
import { Theme } from './facts.tsx'
import { TrackFilters, useTrackFilters } from './track-filters.tsx'
import { TrackList } from './track-list.tsx'
import { useReorder } from './use-reorder.ts'

const nothing = { edges: [], pageInfo: { hasNextPage: false } }

/** A collection and its tracks, in their order. */
export default function CollectionPage() {
  const { id = '' } = useParams()
  return (
    <Answered of={useData(CollectionDocument, { id })} list={{ path: '/', name: 'studio.collections' }}>
      {({ collection }) => collection && <Content key={collection.id} collection={collection} />}
    </Answered>
  )
}

function Content({ collection }: { collection: Collection }) {
  const filters = useTrackFilters()
  const pages = usePages(
    CollectionTracksDocument,
    { id: collection.id, ...filters.variables },
    (data) => data.collection?.tracks ?? nothing,
  )
  const order = useReorder(pages)
  const isOrdered = useCanWrite() && !filters.isLimited
  return (
    <div className="collection">
      <Head collection={collection} />
      <div className="toolbar">
        <TrackFilters filters={filters} />
        <UploadLink collectionId={collection.id} />
        <CollectionActions collection={collection} />
      </div>
      <SubjectLinks collectionId={collection.id} />
      <UploadInto collectionId={collection.id} />
      <TrackList
        key={String(isOrdered)}
        pages={pages}
        dragAndDropHooks={isOrdered ? order : undefined}
        collectionId={collection.id}
        isWhole={!filters.isLimited}
        empty={t(filters.isLimited ? 'library.noMatch' : 'library.noTracks')}
      />
    </div>
  )
}

function Head({ collection }: { collection: Collection }) {
  const { title, playerSubtitle, creator, coverImage, effectiveTheme, tracks } = collection
  const facts = [
    playerSubtitle,
    creator?.organizationIndex,
    t('library.trackCount', { count: formatNumber(tracks.totalCount) }),
  ]
  return (
    <header className="head">
      <Cover url={coverImage?.small.url} title={title} />
      <div>
        <Link href="/">{t('studio.collections')}</Link>
        <PageHeading text={title} />
        <p className="quiet">{facts.filter(Boolean).join(' · ')}</p>
        <Theme colors={effectiveTheme} />
      </div>
    </header>
  )
}
