import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDate, language as pageLanguage, t } from '../../strings.ts'
import { useChange, useRun } from '../api.ts'
import { readText } from '../form-values.ts'
import {
  DeleteTranslationDocument,
  SetTranslationDocument,
  type TrackDetailFragment as Track,
  type TrackTranslationFragment as Translation,
  TranslationTextDocument,
} from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm, Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { TranscriptInput } from './transcript-input.tsx'

const languageNames = new Intl.DisplayNames(pageLanguage, { type: 'language', fallback: 'code' })
const forms: Record<Translation['form'], string> = { VTT: 'WebVTT', SRT: 'SubRip', TXT: t('library.textWithoutTimes') }

/** The transcription in other languages. Nothing without any, unless a person may add one. */
export function Translations({ track }: { track: Track }) {
  const canWrite = useCanWrite()
  const [isAdding, setAdding] = useState(false)
  const { translations } = track
  if (translations.length === 0 && !(canWrite && track.transcription)) return null
  return (
    <section>
      <h2>{t('library.translations')}</h2>
      {translations.length === 0 && <p className="quiet">{t('library.translationsLead')}</p>}
      <ul className="setting-list" aria-label={t('library.translations')}>
        {translations.map((translation) => (
          <li key={translation.id}>
            <Row track={track} translation={translation} canWrite={canWrite} />
          </li>
        ))}
      </ul>
      {canWrite && <Button onPress={() => setAdding(true)}>{t('library.addTranslation')}</Button>}
      {isAdding && <TranslationForm trackId={track.id} onClose={() => setAdding(false)} />}
    </section>
  )
}

interface RowProps {
  track: Track
  translation: Translation
  canWrite: boolean
}

function Row({ track, translation: { language, form, updatedAt }, canWrite }: RowProps) {
  const [isDeleting, setDeleting] = useState(false)
  const remove = useChange(DeleteTranslationDocument)
  const run = useRun()
  // Each time that the form opens: another person may have changed the text.
  const reading = useMutation({ mutationFn: () => run(TranslationTextDocument, { trackId: track.id, language }) })
  const text = reading.data?.track?.translations[0]?.text
  const name = languageNames.of(language) ?? language
  const closeDeletion = () => setDeleting(false)
  return (
    <>
      <span className="lines">
        <span>{name}</span>
        <span className="detail">
          {forms[form]} · {formatDate(updatedAt)}
        </span>
      </span>
      {canWrite && (
        <div className="actions">
          <Button onPress={() => reading.mutate()} isPending={reading.isPending}>
            {t('studio.edit')}
          </Button>
          <Button onPress={() => setDeleting(true)}>{t('library.deleteTranslation')}</Button>
        </div>
      )}
      <Refusal error={reading.error} />
      {text !== undefined && (
        <TranslationForm trackId={track.id} before={{ language, name, text }} onClose={reading.reset} />
      )}
      <Confirm
        title={t('library.deleteTranslationTitle', { name })}
        text={t('library.deleteTranslationText')}
        label={t('library.deleteTranslation')}
        isOpen={isDeleting}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ trackId: track.id, language }, { onSuccess: closeDeletion })}
        onClose={closeDeletion}
      />
    </>
  )
}

interface FormProps {
  trackId: string
  /** The translation to change. Without one, it is a new one. */
  before?: { language: string; name: string; text: string }
  onClose: () => void
}

function TranslationForm({ trackId, before, onClose }: FormProps) {
  const set = useChange(SetTranslationDocument)
  const onSuccess = () => {
    say(t('studio.saved'))
    onClose()
  }
  const save = (fields: FormData) => {
    const language = before?.language ?? readText(fields, 'language')
    set.mutate({ trackId, input: { language, text: String(fields.get('text') ?? '') } }, { onSuccess })
  }
  return (
    <Dialog title={before?.name ?? t('library.addTranslation')} isOpen onClose={onClose}>
      <EditForm onSubmit={save} onCancel={onClose} isBusy={set.isPending} error={set.error}>
        {!before && (
          <TextInput
            label={t('library.translationLanguage')}
            name="language"
            hint={t('library.languageHint')}
            isRequired
          />
        )}
        <TranscriptInput label={t('library.translationText')} name="text" text={before?.text ?? ''} rows={12} />
      </EditForm>
    </Dialog>
  )
}
