import { useDragAndDrop } from 'react-aria-components'
import { t } from '../../../strings.ts'
import { useRefresh, useRun } from '../../api.ts'
import { MoveTrackDocument, type MoveTrackInput } from '../../generated/operations.ts'
import { say } from '../../ui/notice.tsx'
import type { Pages } from '../track-list.tsx'

/**
 * Lets a person order the tracks of a collection by dragging, or with the keyboard. Selected tracks are dragged together,
 * and keep their order. The service numbers them.
 */
export function useReorder({ nodes, refetch }: Pages) {
  const run = useRun()
  const refresh = useRefresh()
  const findName = (id: string) => {
    const track = nodes.find((node) => node.id === id)
    return track?.title ?? ''
  }

  /** Moves the first track to the place, and each further one after it. */
  async function move(ids: readonly string[], place: MoveTrackInput) {
    let [input, id] = [place, '']
    try {
      for (id of ids) {
        await run(MoveTrackDocument, { id, input })
        input = { afterTrackId: id }
      }
    } catch (error) {
      say(
        t('library.notMoved', { title: findName(id), reason: error instanceof Error ? error.message : String(error) }),
      )
    }
    // A long list is not read again by itself.
    await Promise.all([refetch(), refresh()])
  }

  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (ids) => [...ids].map((id) => ({ 'text/plain': findName(String(id)) })),
    onReorder({ keys, target: { key, dropPosition } }) {
      if (dropPosition === 'on') return
      const ids = nodes.map(({ id }) => id).filter((id) => keys.has(id))
      void move(ids, dropPosition === 'before' ? { beforeTrackId: String(key) } : { afterTrackId: String(key) })
    },
  })
  return dragAndDropHooks
}
