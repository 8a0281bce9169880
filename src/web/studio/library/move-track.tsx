import { t } from '../../strings.ts'
import { readText } from '../form-values.ts'
import { MoveTrackDocument, type TrackDetailFragment as Track } from '../generated/operations.ts'
import { CollectionChoice } from '../ui/collection-choice.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { useEdit } from '../use-edit.ts'

interface Props {
  track: Track
  isOpen: boolean
  onClose: () => void
}

/** Moves a track to the end of another collection. */
export function MoveTrack({ track, isOpen, onClose }: Props) {
  const edit = useEdit(MoveTrackDocument, track.id, onClose)
  const move = (fields: FormData) => edit.save({ collectionId: readText(fields, 'collectionId') })
  return (
    <Dialog title={t('library.moveTrack')} isOpen={isOpen} onClose={edit.close}>
      <EditForm onSubmit={move} onCancel={edit.close} isBusy={edit.isBusy} error={edit.error} label={t('library.move')}>
        <p>{t('library.moveText')}</p>
        <CollectionChoice isRequired />
      </EditForm>
    </Dialog>
  )
}
