import { useState } from 'react'
import { t } from '../../strings.ts'
import { useChange, usePages } from '../api.ts'
import { textOf } from '../form-values.ts'
import { CollectionsDocument, MoveTrackDocument, type TrackDetailFragment as Track } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'
import { SearchChoice } from '../ui/search-choice.tsx'

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
      { id: track.id, input: { collectionId: textOf(fields, 'collectionId') } },
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
        <Target />
      </EditForm>
    </Dialog>
  )
}

function Target() {
  const [search, setSearch] = useState('')
  const { nodes } = usePages(CollectionsDocument, { search: search || undefined }, (data) => data.collections)
  return (
    <SearchChoice
      label={t('library.collection')}
      name="collectionId"
      isRequired
      choices={nodes.map(({ id, title }) => ({ id, text: title }))}
      onSearch={setSearch}
    />
  )
}
