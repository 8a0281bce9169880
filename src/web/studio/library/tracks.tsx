import { Link } from 'wouter'
import { t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { useFilters } from '../filters.ts'
import { TracksDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { CollectionFilter } from './collection-filter.tsx'
import { SortChoice, useListSort } from './order/sort-choice.tsx'
import { TrackFilters, useTrackFilters } from './track-filters.tsx'
import { TrackList } from './track-list.tsx'

/** All tracks of the organization, newest first unless a person chooses another order. */
export default function Tracks() {
  const filters = useTrackFilters()
  const { get, set } = useFilters()
  const collectionId = get('collection') || undefined
  const sort = useListSort('newest')
  const pages = usePages(
    TracksDocument,
    { ...filters.variables, collectionId, order: sort.order },
    (data) => data.tracks,
  )
  const canWrite = useCanWrite()
  const isLimited = filters.isLimited || Boolean(collectionId)
  return (
    <>
      <PageHeading text={t('studio.tracks')} />
      <div className="toolbar">
        <TrackFilters filters={filters} />
        <CollectionFilter value={collectionId ?? ''} onChange={(id) => set('collection', id)} />
        <SortChoice of={sort} />
      </div>
      <TrackList
        pages={pages}
        collectionId={collectionId}
        isWhole={false}
        empty={
          <EmptyState text={t(isLimited ? 'library.noMatch' : 'studio.nothing')}>
            {canWrite && !isLimited && (
              <Link href="/uploads" className="button primary">
                {t('upload.upload')}
              </Link>
            )}
          </EmptyState>
        }
      />
    </>
  )
}
