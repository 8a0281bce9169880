import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { RestoreCollectionDocument, RestoreTrackDocument } from '../generated/operations.ts'
import { say } from '../ui/notice.tsx'

export type Restorable = 'track' | 'collection'

/** Restores deleted records, and shows the outcome as a notice. */
export function useRestore() {
  const track = useChange(RestoreTrackDocument)
  const collection = useChange(RestoreCollectionDocument)
  /** @param name shown in the notice */
  const restore = (kind: Restorable, id: string, name: string): void => {
    const change: Promise<unknown> = (kind === 'track' ? track : collection).mutateAsync({ id })
    change.then(
      () => say(t('deleted.restored', { name })),
      (error: Error) => say(t('deleted.failed', { name, reason: error.message })),
    )
  }
  const { isPending, variables } = track.isPending ? track : collection
  return { restore, busyId: isPending ? variables?.id : undefined }
}

/**
 * Returns a function that makes the action of the notice after a deletion:
 * `say(t('library.deleted'), undo('track', id, title))`. It also works after the component is gone.
 */
export function useUndo() {
  const { restore } = useRestore()
  return (kind: Restorable, id: string, name: string) => ({
    label: t('deleted.undo'),
    run: () => restore(kind, id, name),
  })
}
