import { formatNumber, t } from '../../../strings.ts'
import { useRefresh, useRun } from '../../api.ts'
import { runEach } from '../../each.ts'
import {
  DeleteTrackDocument,
  RestoreTrackDocument,
  type TrackRowFragment as Track,
} from '../../generated/operations.ts'
import { say } from '../../ui/notice.tsx'
import { formatTrackCount } from '../count.ts'
import { EachDialog } from './each-dialog.tsx'
import { type ActionProps, useEach } from './use-each.ts'

/** Deletes the selected tracks, after a question. The notice afterwards restores them. */
export function DeleteSelected(props: ActionProps) {
  const run = useRun()
  const each = useEach(props)
  const restore = useRestoreAll()
  const tracks = formatTrackCount(props.selection.tracks.length)
  const remove = () =>
    void each.start({
      operate: ({ id }) => run(DeleteTrackDocument, { id }),
      isRemoved: true,
      onDone: (deleted) =>
        say(t('selection.deleted', { tracks: formatTrackCount(deleted.length) }), {
          label: t('deleted.undo'),
          run: () => void restore(deleted),
        }),
    })
  return (
    <EachDialog
      title={t('selection.delete', { tracks })}
      each={each}
      label={t('studio.delete')}
      isDanger
      failedText="selection.notDeleted"
      onSubmit={remove}
      onClose={props.onClose}
    >
      <p>{t('selection.deleteText', { tracks })}</p>
    </EachDialog>
  )
}

/** Returns a function that restores deleted tracks. It also works after the component is gone. */
function useRestoreAll() {
  const run = useRun()
  const refresh = useRefresh()
  return async (tracks: readonly Track[]) => {
    const { done, failed } = await runEach(tracks, ({ id }) => run(RestoreTrackDocument, { id }))
    void refresh()
    if (done.length > 0) say(t('selection.restored', { tracks: formatTrackCount(done.length) }))
    if (failed.length === 0) return
    const names = failed.map(({ item }) => item.title).join(', ')
    say(t('selection.notRestored', { failed: formatNumber(failed.length), count: formatNumber(tracks.length), names }))
  }
}
