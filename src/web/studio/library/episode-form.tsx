import { t } from '../../strings.ts'
import { formatLocalTime, readText, timeOrNull } from '../form-values.ts'
import { type EpisodeType, type TrackDetailFragment as Track, UpdateTrackDocument } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Choice, TextInput } from '../ui/field.tsx'
import { useEdit } from '../use-edit.ts'
import { changedNumbers, changedTexts, useOpenedRecord } from './changes.tsx'

interface Props {
  track: Track
  isOpen: boolean
  onClose: () => void
}

const texts = ['description'] as const
const numbers = ['season', 'episode'] as const
const types: EpisodeType[] = ['FULL', 'TRAILER', 'BONUS']

const explicitChoices = { '': null, yes: true, no: false } as const
type Explicit = keyof typeof explicitChoices
const formatExplicit = (isExplicit: boolean | null): Explicit => (isExplicit === null ? '' : isExplicit ? 'yes' : 'no')

/** Edits the fields of a track for podcast feeds. Only changed fields are sent. */
export function EditEpisode({ track: latestTrack, isOpen, onClose }: Props) {
  const track = useOpenedRecord(latestTrack, isOpen)
  const edit = useEdit(UpdateTrackDocument, track.id, onClose)
  const save = (fields: FormData) => {
    const episodeType = readText(fields, 'episodeType') as EpisodeType
    const isExplicit = explicitChoices[readText(fields, 'isExplicit') as Explicit]
    edit.save({
      ...changedTexts(fields, track, texts),
      ...changedNumbers(fields, track, numbers),
      ...(readText(fields, 'publishedAt') !== formatLocalTime(track.publishedAt) && {
        publishedAt: timeOrNull(fields, 'publishedAt'),
      }),
      ...(episodeType !== track.episodeType && { episodeType }),
      ...(isExplicit !== track.isExplicit && { isExplicit }),
    })
  }
  return (
    <Dialog title={t('library.editEpisode')} isOpen={isOpen} onClose={edit.close}>
      <EditForm onSubmit={save} onCancel={edit.close} isBusy={edit.isBusy} error={edit.error}>
        <TextInput
          label={t('library.description')}
          name="description"
          defaultValue={track.description ?? ''}
          rows={4}
        />
        <TextInput
          label={t('library.publishedAt')}
          name="publishedAt"
          type="datetime-local"
          defaultValue={formatLocalTime(track.publishedAt)}
          hint={t('library.publishedAtHint')}
        />
        <TextInput label={t('library.season')} name="season" type="number" defaultValue={String(track.season ?? '')} />
        <TextInput
          label={t('library.episodeNumber')}
          name="episode"
          type="number"
          defaultValue={String(track.episode ?? '')}
          hint={t('library.episodeNumberHint')}
        />
        <Choice
          label={t('library.episodeType')}
          name="episodeType"
          defaultValue={track.episodeType}
          choices={types.map((id) => ({ id, text: t(`library.episode${id}`) }))}
        />
        <Choice
          label={t('library.isExplicit')}
          name="isExplicit"
          defaultValue={formatExplicit(track.isExplicit)}
          choices={[
            { id: '', text: t('library.asCollection') },
            { id: 'yes', text: t('library.yes') },
            { id: 'no', text: t('library.no') },
          ]}
        />
      </EditForm>
    </Dialog>
  )
}
