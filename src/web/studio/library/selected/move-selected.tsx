import { t } from '../../../strings.ts'
import { useRun } from '../../api.ts'
import { readText } from '../../form-values.ts'
import { MoveTrackDocument } from '../../generated/operations.ts'
import { CollectionChoice } from '../../ui/collection-choice.tsx'
import { say } from '../../ui/notice.tsx'
import { formatTrackCount } from '../count.ts'
import { EachDialog } from './each-dialog.tsx'
import { type ActionProps, useEach } from './use-each.ts'

/** Moves the selected tracks to the end of a collection, one after the other, so that they keep their order. */
export function MoveSelected({ collectionId, ...props }: ActionProps & { collectionId: string | undefined }) {
  const run = useRun()
  const each = useEach(props, { atOnce: 1 })
  const move = (fields: FormData) => {
    const input = { collectionId: readText(fields, 'collectionId') }
    void each.start({
      operate: ({ id }) => run(MoveTrackDocument, { id, input }),
      isRemoved: collectionId !== undefined && collectionId !== input.collectionId,
      onDone: (tracks) => say(t('selection.moved', { tracks: formatTrackCount(tracks.length) })),
    })
  }
  return (
    <EachDialog
      title={t('selection.move', { tracks: formatTrackCount(props.selection.tracks.length) })}
      each={each}
      label={t('library.move')}
      failedText="selection.notMoved"
      onSubmit={move}
      onClose={props.onClose}
    >
      <p>{t('selection.moveText')}</p>
      <CollectionChoice isRequired />
    </EachDialog>
  )
}
