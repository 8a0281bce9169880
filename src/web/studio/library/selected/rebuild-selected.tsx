import { t } from '../../../strings.ts'
import { useRun } from '../../api.ts'
import { RebuildTrackDocument } from '../../generated/operations.ts'
import { say } from '../../ui/notice.tsx'
import { formatTrackCount } from '../count.ts'
import { EachDialog } from './each-dialog.tsx'
import { type ActionProps, useEach } from './use-each.ts'

/** Rebuilds all files of the selected tracks, after a question: it takes much of the processing. */
export function RebuildSelected(props: ActionProps) {
  const run = useRun()
  const each = useEach(props)
  const rebuild = () =>
    void each.start({
      operate: ({ id }) => run(RebuildTrackDocument, { id }),
      onDone: (tracks) => say(t('selection.rebuilt', { tracks: formatTrackCount(tracks.length) })),
    })
  return (
    <EachDialog
      title={t('selection.rebuild', { tracks: formatTrackCount(props.selection.tracks.length) })}
      each={each}
      label={t('library.rebuild')}
      failedText="selection.notRebuilt"
      onSubmit={rebuild}
      onClose={props.onClose}
    >
      <p>{t('selection.rebuildText')}</p>
    </EachDialog>
  )
}
