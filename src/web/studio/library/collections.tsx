import { useLocation } from 'wouter'
import { dateOf, t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { CollectionsDocument } from '../generated/operations.ts'
import { PagedList } from '../ui/paged-list.tsx'

/** All collections of the organization. */
export default function Collections() {
  const [, navigate] = useLocation()
  const pages = usePages(CollectionsDocument, {}, (data) => data.collections)
  return (
    <>
      <h1>{t('studio.collections')}</h1>
      <PagedList
        label={t('studio.collections')}
        pages={pages}
        textOf={({ title }) => title}
        onOpen={(id) => navigate(`/collection/${id}`)}
      >
        {({ title, creator, createdAt, coverImage }) => (
          <>
            <img className="cover" alt="" src={coverImage?.small.url ?? undefined} hidden={!coverImage} />
            <strong>{title}</strong>
            <span className="quiet">{creator?.organizationIndex}</span>
            <span className="quiet">{dateOf(createdAt, false)}</span>
          </>
        )}
      </PagedList>
    </>
  )
}
