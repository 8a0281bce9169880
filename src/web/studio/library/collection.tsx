import { Link, useParams } from 'wouter'
import { numberOf, t } from '../../strings.ts'
import { useData, usePages } from '../api.ts'
import { useFilters } from '../filters.ts'
import { CollectionDocument, type CollectionQuery, CollectionTracksDocument } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { Search } from '../ui/search.tsx'
import { Cover } from './cover.tsx'
import { TrackList } from './track-list.tsx'

type Collection = NonNullable<CollectionQuery['collection']>

const nothing = { edges: [], pageInfo: { hasNextPage: false } }

/** A collection and its tracks, in their order. */
export default function CollectionPage() {
  const { id = '' } = useParams()
  return (
    <Answered of={useData(CollectionDocument, { id })}>
      {({ collection }) => collection && <Content key={collection.id} collection={collection} />}
    </Answered>
  )
}

function Content({ collection }: { collection: Collection }) {
  const filters = useFilters()
  const search = filters.get('search')
  const pages = usePages(
    CollectionTracksDocument,
    { id: collection.id, search: search || undefined },
    (data) => data.collection?.tracks ?? nothing,
  )
  return (
    <div className="collection">
      <Head collection={collection} />
      <div className="toolbar">
        <Search value={search} onSearch={(text) => filters.set('search', text)} />
      </div>
      <TrackList
        pages={pages}
        collectionId={collection.id}
        isWhole={!search}
        empty={t(search ? 'library.noMatch' : 'library.noTracks')}
      />
    </div>
  )
}

function Head({ collection }: { collection: Collection }) {
  const { title, playerSubtitle, creator, coverImage, tracks } = collection
  const facts = [
    playerSubtitle,
    creator?.organizationIndex,
    t('library.trackCount', { count: numberOf(tracks.totalCount) }),
  ]
  return (
    <header className="head">
      <Cover url={coverImage?.small.url} />
      <div>
        <Link href="/">{t('studio.collections')}</Link>
        <h1>{title}</h1>
        <p className="quiet">{facts.filter(Boolean).join(' · ')}</p>
      </div>
    </header>
  )
}
