import { GripVertical } from 'lucide'
import { type CSSProperties, memo, type ReactNode, useRef } from 'react'
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
import { RowCheckbox, type RowSelection, useCheckboxRange } from './row-checkbox.tsx'

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
  /** Lets a person select several rows. Given or not, it must stay so. */
  selection?: RowSelection
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
  const { empty = t('studio.nothing'), onOpen, rowHeight = ROW_PX, isGrid = false, dragAndDropHooks, selection } = props
  const range = useCheckboxRange(nodes, selection)
  const isNarrow = useIsNarrow()
  const parts = useParts(nodes)
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
      selectionMode={selection && 'multiple'}
      selectedKeys={selection?.selectedKeys}
      onSelectionChange={range.onSelectionChange}
    >
      {parts.map((part, place) => (
        <Rows
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is a place in the list
          key={place}
          nodes={part}
          textOf={textOf}
          render={children}
          isDraggable={dragAndDropHooks !== undefined}
          onCheckboxPress={selection && range.notePress}
        />
      ))}
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

interface RowsProps<Node> {
  nodes: readonly Node[]
  textOf: (node: Node) => string
  render: (node: Node) => ReactNode
  isDraggable: boolean
  /** Called when the checkbox of a row is pressed. Without it, rows have none. */
  onCheckboxPress?: (isWithShift: boolean) => void
}

/** A part of the rows. It is not rendered again for a further page: a list of thousands would stop the page for 0.2 s. */
const Rows = memo(function Rows<Node extends { id: string }>({ nodes, textOf, render, ...props }: RowsProps<Node>) {
  const { isDraggable, onCheckboxPress } = props
  return (
    <Collection items={nodes} dependencies={[render, textOf, isDraggable, onCheckboxPress]}>
      {(node) => (
        <GridListItem id={node.id} textValue={textOf(node)} className="row">
          {onCheckboxPress && <RowCheckbox onPress={onCheckboxPress} />}
          {isDraggable && (
            <Button slot="drag" className="drag">
              <Icon of={GripVertical} />
            </Button>
          )}
          {render(node)}
        </GridListItem>
      )}
    </Collection>
  )
}) as <Node extends { id: string }>(props: RowsProps<Node>) => ReactNode

const PART = 100

/** Divides rows into parts. A part whose rows are the same as before is the same array. */
function useParts<Node>(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const before = useRef<readonly (readonly Node[])[]>([])
  before.current = Array.from({ length: Math.ceil(nodes.length / PART) }, (_, place) => {
    const part = nodes.slice(place * PART, (place + 1) * PART)
    const same = before.current[place]
    return same?.length === part.length && part.every((node, at) => node === same[at]) ? same : part
  })
  return before.current
}
