import type { ReactNode } from 'react'
import type { DragAndDropHooks } from 'react-aria-components'
import {
  Button,
  Collection,
  GridList,
  GridListItem,
  GridListLoadMoreItem,
  ListLayout,
  Virtualizer,
} from 'react-aria-components'
import { t } from '../../strings.ts'
import { Failure, Loading } from './answer.tsx'

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
  /** Lets a person order the rows. Given or not, it must stay so. */
  dragAndDropHooks?: DragAndDropHooks
}

const ROW_PX = 64

/** The rows of `usePages`. Rows outside of the window are not in the document, and further pages load on scrolling. */
export function PagedList<Node extends { id: string }>({ label, pages, textOf, children, ...props }: Props<Node>) {
  const { nodes, error, isPending, isLoadingMore, loadMore, refetch, hasMore } = pages
  const { empty = t('studio.nothing'), onOpen, rowHeight = ROW_PX, dragAndDropHooks } = props
  if (isPending) return <Loading />
  if (error && nodes.length === 0) return <Failure error={error} onRetry={refetch} />
  return (
    <>
      <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight }}>
        <GridList
          aria-label={label}
          className="rows"
          onAction={onOpen && ((id) => onOpen(String(id)))}
          renderEmptyState={() => <p className="empty">{empty}</p>}
          dragAndDropHooks={dragAndDropHooks}
        >
          <Collection items={nodes} dependencies={[children, textOf, dragAndDropHooks]}>
            {(node) => (
              <GridListItem id={node.id} textValue={textOf(node)} className="row">
                {dragAndDropHooks && (
                  <Button slot="drag" className="drag">
                    ⠿
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
      </Virtualizer>
      {error && <Failure error={error} onRetry={loadMore} />}
    </>
  )
}
