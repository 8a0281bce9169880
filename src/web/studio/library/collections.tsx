import { useState } from 'react'
import { useLocation } from 'wouter'
import { t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { useFilters } from '../filters.ts'
import { CollectionsDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Search } from '../ui/search.tsx'
import { CollectionList } from './collection-list.tsx'
import { CollectionViewChoice, useCollectionView } from './collection-view.tsx'
import { NewCollection } from './new-collection.tsx'

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
      <CollectionList
        pages={pages}
        view={view}
        empty={
          <EmptyState text={t(search ? 'library.noMatch' : 'library.noCollections')}>
            {canWrite && isEmpty && (
              <Button kind="primary" onPress={() => setCreating(true)}>
                {t('library.newCollection')}
              </Button>
            )}
          </EmptyState>
        }
      />
      <NewCollection isOpen={isCreating} onClose={() => setCreating(false)} onCreated={open} />
    </>
  )
}
