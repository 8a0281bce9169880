import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText } from '../form-values.ts'
import { MoveTrackDocument, type TrackDetailFragment as Track } from '../generated/operations.ts'
import { CollectionChoice } from '../ui/collection-choice.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'

interface Props {
  track: Track
  isOpen: boolean
  onClose: () => void
}

/** Moves a track to the end of another collection. */
export function MoveTrack({ track, isOpen, onClose }: Props) {
  const { mutate, isPending, error, reset } = useChange(MoveTrackDocument)
  const close = () => {
    reset()
    onClose()
  }
  const move = (fields: FormData) =>
    mutate(
      { id: track.id, input: { collectionId: readText(fields, 'collectionId') } },
      {
        onSuccess: () => {
          say(t('studio.saved'))
          close()
        },
      },
    )
  return (
    <Dialog title={t('library.moveTrack')} isOpen={isOpen} onClose={close}>
      <EditForm onSubmit={move} onCancel={close} isBusy={isPending} error={error} label={t('library.move')}>
        <p>{t('library.moveText')}</p>
        <CollectionChoice isRequired />
      </EditForm>
    </Dialog>
  )
}
