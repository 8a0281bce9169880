import type { Cue } from '../../listen/cues.ts'
import { writeCues } from '../../listen/write-cues.ts'
import { formatClock, t } from '../../strings.ts'
import { type TrackDetailFragment as Track, UpdateTrackDocument } from '../generated/operations.ts'
import { EditForm } from '../ui/dialog.tsx'
import { useEdit } from '../use-edit.ts'
import { toPlayed } from './play-list.tsx'
import { usePlayback } from './playback-context.tsx'

interface Props {
  track: Track
  /** Cues whose WebVTT is the transcription, so that only changed texts differ after it. */
  cues: readonly Cue[]
  lang: string | undefined
  onClose: () => void
}

const toFieldName = (at: number) => `cue-${at}`

/** Corrects the texts of cues. Each plays from its start; one without a text is removed. */
export function CueEditor({ track, cues, lang, onClose }: Props) {
  const { save, isBusy, error } = useEdit(UpdateTrackDocument, track.id, onClose)
  const playback = usePlayback()
  const submit = (fields: FormData) => {
    const edited = cues.map((cue, at) => ({
      ...cue,
      text: String(fields.get(toFieldName(at)) ?? '').replaceAll('\r', ''),
    }))
    const hasText = edited.some(({ text }) => text.trim() !== '')
    save({ transcription: hasText ? writeCues(edited) : null })
  }
  return (
    <EditForm onSubmit={submit} onCancel={onClose} isBusy={isBusy} error={error}>
      <ol className="edited-cues" aria-label={t('library.transcription')} lang={lang}>
        {cues.map(({ startSeconds, speaker, text }, at) => {
          const start = formatClock(startSeconds)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a cue is a place in the transcription
            <li key={at}>
              <button
                type="button"
                aria-label={t('library.playFrom', { title: track.title, at: start })}
                onClick={() => playback.playFrom(toPlayed(track), startSeconds)}
              >
                {start}
              </button>
              <div className="field">
                <textarea
                  name={toFieldName(at)}
                  defaultValue={text}
                  rows={text.split('\n').length}
                  aria-label={[t('library.textAt', { at: start }), speaker].filter(Boolean).join(', ')}
                />
              </div>
            </li>
          )
        })}
      </ol>
    </EditForm>
  )
}
