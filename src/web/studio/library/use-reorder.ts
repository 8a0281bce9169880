import { useDragAndDrop } from 'react-aria-components'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { MoveTrackDocument } from '../generated/operations.ts'
import { say } from '../ui/notice.tsx'
import type { Pages } from './track-list.tsx'

/** Lets a person order the tracks of a collection by dragging, or with the keyboard. The service numbers them. */
export function useReorder({ nodes, refetch }: Pages) {
  const { mutate } = useChange(MoveTrackDocument)
  const findName = (id: string) => {
    const track = nodes.find((node) => node.id === id)
    return track?.title ?? ''
  }
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (ids) => [...ids].map((id) => ({ 'text/plain': findName(String(id)) })),
    onReorder({ keys, target: { key, dropPosition } }) {
      const [id] = [...keys].map(String)
      if (id === undefined || dropPosition === 'on') return
      const input = dropPosition === 'before' ? { beforeTrackId: String(key) } : { afterTrackId: String(key) }
      mutate(
        { id, input },
        {
          // A long list is not read again by itself.
          onSuccess: () => void refetch(),
          onError: ({ message }) => say(t('library.notMoved', { title: findName(id), reason: message })),
        },
      )
    },
  })
  return dragAndDropHooks
}
