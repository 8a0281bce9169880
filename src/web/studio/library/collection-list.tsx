import type { ComponentProps } from 'react'
import { useLocation } from 'wouter'
import { formatDate, t } from '../../strings.ts'
import type { CollectionRowFragment } from '../generated/operations.ts'
import { Cover } from '../ui/cover.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import type { CollectionView } from './collection-view.tsx'
import { formatTrackCount } from './count.ts'

type Row = CollectionRowFragment

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

interface Props extends Pick<ComponentProps<typeof PagedList<Row>>, 'pages' | 'empty'> {
  view: CollectionView
}

/** Collections as covers or rows, page by page. */
export function CollectionList({ view, ...props }: Props) {
  const [, navigate] = useLocation()
  return (
    <PagedList
      {...props}
      key={view}
      label={t('studio.collections')}
      textOf={textOf}
      onOpen={(id) => navigate(`/collection/${id}`)}
      isGrid={view === 'covers'}
    >
      {view === 'covers' ? renderTile : renderRow}
    </PagedList>
  )
}
