import { GripVertical } from 'lucide'
import type { CSSProperties, ReactNode } from 'react'
import type { DragAndDropHooks } from 'react-aria-components'
import {
  Button,
  Collection,
  GridLayout,
  GridList,
  GridListItem,
  GridListLoadMoreItem,
  ListLayout,
  Size,
  Virtualizer,
} from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'
import { t } from '../../strings.ts'
import { Failure, Loading } from './answer.tsx'
import { useIsNarrow } from './narrow.ts'

interface Pages<Node> {
  nodes: readonly Node[]
  error: Error | null
  isPending: boolean
  isLoadingMore: boolean
  hasMore: boolean
  loadMore: () => void
  refetch: () => unknown
}

interface Props<Node> {
  label: string
  pages: Pages<Node>
  /** Text that a person types to find the row. */
  textOf: (node: Node) => string
  /** Contents of a row. Rows of a function that stays the same are not made again for each further page. */
  children: (node: Node) => ReactNode
  /** Shown for a list without rows. */
  empty?: ReactNode
  /** Called with the ID of a row that a person opens. */
  onOpen?: (id: string) => void
  rowHeight?: number
  /** Shows covers side by side instead of rows. Given or not, it must stay so. Defaults to false. */
  isGrid?: boolean
  /** Lets a person order the rows. Given or not, it must stay so. */
  dragAndDropHooks?: DragAndDropHooks
}

const ROW_PX = 64
/** Upper and lower border of the box. A list that is lower than its rows and these scrolls when its last row gets the focus. */
const BORDERS_PX = 2
/** Least sizes of a cover with its lines. A phone has two side by side. */
const TILE = new Size(200, 260)
const SMALL_TILE = new Size(140, 200)
const TILE_SPACE = new Size(18, 18)
const SMALL_TILE_SPACE = new Size(12, 12)
const tiles = { minItemSize: TILE, minSpace: TILE_SPACE }
const smallTiles = { minItemSize: SMALL_TILE, minSpace: SMALL_TILE_SPACE }

/** The rows of `usePages`. Rows outside of the window are not in the document, and further pages load on scrolling. */
export function PagedList<Node extends { id: string }>({ label, pages, textOf, children, ...props }: Props<Node>) {
  const { nodes, error, isPending, isLoadingMore, loadMore, refetch, hasMore } = pages
  const { empty = t('studio.nothing'), onOpen, rowHeight = ROW_PX, isGrid = false, dragAndDropHooks } = props
  const isNarrow = useIsNarrow()
  if (isPending) return <Loading />
  if (error && nodes.length === 0) return <Failure error={error} onRetry={refetch} />
  // The box is as high as its rows, and at most as the window.
  const height = {
    '--rows-height': `${nodes.length * rowHeight + (hasMore ? rowHeight : 0) + BORDERS_PX}px`,
  } as CSSProperties
  const list = (
    <GridList
      aria-label={label}
      layout={isGrid ? 'grid' : 'stack'}
      className={isGrid ? 'rows covers' : 'rows'}
      style={nodes.length > 0 ? height : undefined}
      onAction={onOpen && ((id) => onOpen(String(id)))}
      renderEmptyState={() => (typeof empty === 'string' ? <p className="empty">{empty}</p> : empty)}
      dragAndDropHooks={dragAndDropHooks}
    >
      <Collection items={nodes} dependencies={[children, textOf, dragAndDropHooks]}>
        {(node) => (
          <GridListItem id={node.id} textValue={textOf(node)} className="row">
            {dragAndDropHooks && (
              <Button slot="drag" className="drag">
                <Icon of={GripVertical} />
              </Button>
            )}
            {children(node)}
          </GridListItem>
        )}
      </Collection>
      {hasMore && (
        <GridListLoadMoreItem onLoadMore={loadMore} isLoading={isLoadingMore}>
          <Loading />
        </GridListLoadMoreItem>
      )}
    </GridList>
  )
  return (
    <>
      {isGrid ? (
        <Virtualizer layout={GridLayout} layoutOptions={isNarrow ? smallTiles : tiles}>
          {list}
        </Virtualizer>
      ) : (
        <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight }}>
          {list}
        </Virtualizer>
      )}
      {error && <Failure error={error} onRetry={loadMore} />}
    </>
  )
}
