import { useState } from 'react'
import { useLocation } from 'wouter'
import { formatDate, t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { useFilters } from '../filters.ts'
import { CreatorsDocument, type CreatorsQuery } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Search } from '../ui/search.tsx'
import { NewCreator } from './creator-form.tsx'

type Row = CreatorsQuery['creators']['edges'][number]['node']

const textOf = ({ organizationIndex }: Row) => organizationIndex
const renderRow = ({ organizationIndex, createdAt }: Row) => (
  <>
    <span className="name">
      <strong>{organizationIndex}</strong>
    </span>
    <span className="quiet">{formatDate(createdAt, false)}</span>
  </>
)

/** All creators of the organization. */
export default function Creators() {
  const [, navigate] = useLocation()
  const [isCreating, setCreating] = useState(false)
  const { get, set } = useFilters()
  const search = get('search')
  const pages = usePages(CreatorsDocument, { search: search || undefined }, (data) => data.creators)
  const canWrite = useCanWrite()
  const isEmpty = !pages.isPending && !pages.error && !search && pages.nodes.length === 0
  const open = (id: string) => navigate(`/creator/${id}`)
  const create = canWrite && (
    <Button kind="primary" onPress={() => setCreating(true)}>
      {t('creator.new')}
    </Button>
  )
  return (
    <>
      <PageHeading text={t('studio.creators')} />
      <p className="lead">{t('creator.lead')}</p>
      {!isEmpty && (
        <div className="toolbar">
          <Search value={search} onSearch={(text) => set('search', text)} />
          {create}
        </div>
      )}
      <PagedList
        label={t('studio.creators')}
        pages={pages}
        textOf={textOf}
        onOpen={open}
        empty={<EmptyState text={t(search ? 'library.noMatch' : 'creator.none')}>{isEmpty && create}</EmptyState>}
      >
        {renderRow}
      </PagedList>
      <NewCreator isOpen={isCreating} onClose={() => setCreating(false)} onCreated={open} />
    </>
  )
}
