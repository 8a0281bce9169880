import { useState } from 'react'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText, timeOrNull } from '../form-values.ts'
import { CreateShareKeyDocument } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { EditForm } from '../ui/dialog.tsx'
import { Choice, TextInput } from '../ui/field.tsx'
import { VariantChoice } from './choices.tsx'
import { LinkShown } from './link-shown.tsx'
import type { Subject } from './share-address.ts'

/** Creates the key of a link. */
export const useCreateLink = () => useChange(CreateShareKeyDocument)

interface Props {
  create: ReturnType<typeof useCreateLink>
  subject: Subject
  collectionId: string
  /** Variants with a file of the track. Defaults to those of the organization. */
  variants?: readonly { id: string; text: string }[]
  onClose: () => void
}

/** Creates a share key for the subject, or takes one that a person has kept, and shows the link. */
export function ShareForm({ create, subject, collectionId, variants, onClose }: Props) {
  const [storedKey, setStoredKey] = useState<string | null>(null)
  const [isKeyGiven, setKeyGiven] = useState(false)
  const created = create.data?.created.key
  if (created) return <Shown subject={subject} apiKey={created} isNew onClose={onClose} />
  if (storedKey) return <Shown subject={subject} apiKey={storedKey} onClose={onClose} />
  if (isKeyGiven) return <KeyForm onKey={setStoredKey} onCancel={() => setKeyGiven(false)} />
  const send = (fields: FormData) =>
    create.mutate({
      input: {
        title: readText(fields, 'title'),
        variant: readText(fields, 'variants'),
        expiresAt: timeOrNull(fields, 'expiresAt'),
        collectionId,
        trackId: subject.kind === 'track' ? subject.id : null,
      },
    })
  return (
    <>
      <EditForm
        onSubmit={send}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
        label={t('access.createLink')}
      >
        <p>{t('access.shareLead', { title: subject.title })}</p>
        <TextInput
          label={t('access.title')}
          name="title"
          hint={t('access.titleHint')}
          defaultValue={subject.title.slice(0, 200)}
          isRequired
        />
        {variants ? (
          <Choice
            label={t('access.variant')}
            name="variants"
            choices={variants}
            defaultValue={variants[0]?.id}
            isRequired
            hint={variants.length === 0 ? t('access.noVariants') : undefined}
          />
        ) : (
          <VariantChoice />
        )}
        <TextInput label={t('access.expiresAt')} name="expiresAt" type="datetime-local" hint={t('access.expiryHint')} />
      </EditForm>
      <div className="actions apart">
        <Button onPress={() => setKeyGiven(true)}>{t('access.useKept')}</Button>
      </div>
    </>
  )
}

/** Only hashes of keys are stored: the link to an existing key needs the key itself. */
function KeyForm({ onKey, onCancel }: { onKey: (key: string) => void; onCancel: () => void }) {
  const [error, setError] = useState<Error | null>(null)
  const send = (fields: FormData) => {
    const key = readText(fields, 'key')
    if (/^[0-9a-f]{32}_share_[0-9A-Za-z]{49}$/.test(key)) onKey(key)
    else setError(new Error(t('access.notShareKey')))
  }
  return (
    <EditForm onSubmit={send} onCancel={onCancel} isBusy={false} error={error} label={t('access.showLink')}>
      <TextInput label={t('access.key')} name="key" hint={t('access.keptHint')} isRequired />
    </EditForm>
  )
}

interface ShownProps {
  subject: Subject
  apiKey: string
  /** Whether the key has just been created and is shown once. */
  isNew?: boolean
  onClose: () => void
}

const Shown = ({ subject, apiKey, isNew = false, onClose }: ShownProps) => (
  <div className="form">
    {isNew && <CopyField label={t('access.key')} value={apiKey} hint={t('access.shownOnce')} />}
    <LinkShown {...subject} apiKey={apiKey} />
    <div className="actions">
      <Button kind="primary" onPress={onClose}>
        {t('studio.done')}
      </Button>
    </div>
  </div>
)
