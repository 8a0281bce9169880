import { useState } from 'react'
import { useLocation } from 'wouter'
import { formatDate, t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { useFilters } from '../filters.ts'
import { CollectionsDocument, type CollectionsQuery } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { Cover } from '../ui/cover.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Search } from '../ui/search.tsx'
import { CollectionViewChoice, useCollectionView } from './collection-view.tsx'
import { formatTrackCount } from './count.ts'
import { NewCollection } from './new-collection.tsx'

type Row = CollectionsQuery['collections']['edges'][number]['node']

const textOf = ({ title }: Row) => title
const renderRow = ({ title, playerSubtitle, creator, createdAt, coverImage, effectivePlayerColor, tracks }: Row) => (
  <>
    <Cover url={coverImage?.small.url} title={title} color={effectivePlayerColor} />
    <span className="name">
      <strong>{title}</strong>
      {playerSubtitle && <small>{playerSubtitle}</small>}
    </span>
    <span className="quiet">{creator?.organizationIndex}</span>
    <span className="quiet">{formatTrackCount(tracks.totalCount)}</span>
    <span className="quiet">{formatDate(createdAt, false)}</span>
  </>
)
const renderTile = ({ title, playerSubtitle, creator, coverImage, effectivePlayerColor, tracks }: Row) => (
  <span className="tile">
    <Cover url={coverImage?.regular.url} title={title} color={effectivePlayerColor} />
    <strong>{title}</strong>
    <span className="facts-line">
      {[playerSubtitle ?? creator?.organizationIndex, formatTrackCount(tracks.totalCount)].filter(Boolean).join(' · ')}
    </span>
  </span>
)

/** All collections of the organization. */
export default function Collections() {
  const [, navigate] = useLocation()
  const [isCreating, setCreating] = useState(false)
  const filters = useFilters()
  const search = filters.get('search')
  const pages = usePages(CollectionsDocument, { search: search || undefined }, (data) => data.collections)
  const canWrite = useCanWrite()
  const [view, setView] = useCollectionView()
  const isEmpty = !pages.isPending && !pages.error && !search && pages.nodes.length === 0
  const open = (id: string) => navigate(`/collection/${id}`)
  return (
    <>
      <PageHeading text={t('studio.collections')} />
      {!isEmpty && (
        <div className="toolbar">
          <Search value={search} onSearch={(text) => filters.set('search', text)} />
          {canWrite && (
            <Button kind="primary" onPress={() => setCreating(true)}>
              {t('library.newCollection')}
            </Button>
          )}
          <CollectionViewChoice view={view} onChoose={setView} />
        </div>
      )}
      <PagedList
        key={view}
        label={t('studio.collections')}
        pages={pages}
        textOf={textOf}
        onOpen={open}
        isGrid={view === 'covers'}
        empty={
          <EmptyState text={t(search ? 'library.noMatch' : 'library.noCollections')}>
            {canWrite && isEmpty && (
              <Button kind="primary" onPress={() => setCreating(true)}>
                {t('library.newCollection')}
              </Button>
            )}
          </EmptyState>
        }
      >
        {view === 'covers' ? renderTile : renderRow}
      </PagedList>
      <NewCollection isOpen={isCreating} onClose={() => setCreating(false)} onCreated={open} />
    </>
  )
}
