import { t } from '../../strings.ts'
import { type TrackDetailFragment as Track, UpdateTrackDocument } from '../generated/operations.ts'
import { ColorInput } from '../ui/color.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { useEdit } from '../use-edit.ts'
import { changedTexts, MetadataInput, useMetadata } from './changes.tsx'

interface Props {
  track: Track
  isOpen: boolean
  onClose: () => void
}

const texts = [
  'playerTitle',
  'playerSubtitle',
  'organizationIndex',
  'playerColor',
  'transcription',
  'transcriptionLanguage',
] as const

/** Edits a track. Only changed fields are sent, so that two persons do not undo each other's changes. */
export function EditTrack({ track, isOpen, onClose }: Props) {
  const metadata = useMetadata(track.metadata)
  const edit = useEdit(UpdateTrackDocument, track.id, () => {
    metadata.reset()
    onClose()
  })
  const save = (fields: FormData) => {
    const changed = metadata.changed(fields)
    if (changed) edit.save({ ...changedTexts(fields, track, texts), ...changed })
  }
  return (
    <Dialog title={t('library.editTrack')} isOpen={isOpen} onClose={edit.close}>
      <EditForm onSubmit={save} onCancel={edit.close} isBusy={edit.isBusy} error={metadata.error ?? edit.error}>
        <TextInput
          label={t('library.title')}
          name="playerTitle"
          defaultValue={track.playerTitle ?? ''}
          hint={t('library.titleHint')}
        />
        <TextInput label={t('library.subtitle')} name="playerSubtitle" defaultValue={track.playerSubtitle ?? ''} />
        <ColorInput
          label={t('library.color')}
          name="playerColor"
          defaultValue={track.playerColor ?? ''}
          hint={t('library.trackColorHint')}
        />
        <TextInput
          label={t('library.transcription')}
          name="transcription"
          defaultValue={track.transcription ?? ''}
          rows={6}
        />
        <TextInput
          label={t('library.language')}
          name="transcriptionLanguage"
          defaultValue={track.transcriptionLanguage ?? ''}
          hint={t('library.languageHint')}
        />
        <TextInput
          label={t('library.identifier')}
          name="organizationIndex"
          defaultValue={track.organizationIndex ?? ''}
          hint={t('library.identifierHint')}
        />
        <MetadataInput value={track.metadata} />
      </EditForm>
    </Dialog>
  )
}
