import { t } from '../../strings.ts'
import { type TrackDetailFragment as Track, UpdateTrackDocument } from '../generated/operations.ts'
import { ColorInput } from '../ui/color.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { useEdit } from '../use-edit.ts'
import { changedNumbers, changedTexts, useOpenedRecord } from './changes.tsx'
import { MetadataInput, useMetadata } from './metadata.tsx'
import { TranscriptInput } from './transcript-input.tsx'

interface Props {
  track: Track
  isOpen: boolean
  onClose: () => void
}

const texts = [
  'title',
  'artist',
  'album',
  'isrc',
  'organizationIndex',
  'playerColor',
  'transcription',
  'transcriptionLanguage',
] as const
const numbers = ['trackNumber', 'discNumber', 'year'] as const

/** Edits a track. Only changed fields are sent, so that two persons do not undo each other's changes. */
export function EditTrack({ track: latestTrack, isOpen, onClose }: Props) {
  const track = useOpenedRecord(latestTrack, isOpen)
  const metadata = useMetadata(track.metadata)
  const edit = useEdit(UpdateTrackDocument, track.id, () => {
    metadata.reset()
    onClose()
  })
  const save = (fields: FormData) => {
    const changed = metadata.changed(fields)
    if (changed)
      edit.save({ ...changedTexts(fields, track, texts), ...changedNumbers(fields, track, numbers), ...changed })
  }
  return (
    <Dialog title={t('library.editTrack')} isOpen={isOpen} onClose={edit.close}>
      <EditForm onSubmit={save} onCancel={edit.close} isBusy={edit.isBusy} error={metadata.error ?? edit.error}>
        <TextInput label={t('library.title')} name="title" defaultValue={track.title} hint={t('library.titleHint')} />
        <TextInput label={t('library.artist')} name="artist" defaultValue={track.artist ?? ''} />
        <TextInput label={t('library.album')} name="album" defaultValue={track.album ?? ''} />
        <div className="short-fields">
          <NumberInput label={t('library.trackNumber')} name="trackNumber" value={track.trackNumber} />
          <NumberInput label={t('library.discNumber')} name="discNumber" value={track.discNumber} />
          <NumberInput label={t('library.year')} name="year" value={track.year} />
        </div>
        <TextInput label={t('library.isrc')} name="isrc" defaultValue={track.isrc ?? ''} />
        <ColorInput
          label={t('library.color')}
          name="playerColor"
          defaultValue={track.playerColor ?? ''}
          hint={t('library.trackColorHint')}
        />
        <TranscriptInput
          label={t('library.transcription')}
          name="transcription"
          text={track.transcription ?? ''}
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

const NumberInput = ({ value, ...field }: { label: string; name: string; value: number | null }) => (
  <TextInput {...field} type="number" defaultValue={String(value ?? '')} />
)
