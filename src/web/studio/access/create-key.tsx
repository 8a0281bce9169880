import { useState } from 'react'
import { t } from '../../strings.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Check, Choice, TextInput } from '../ui/field.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { KeyCollectionChoice, VariantChecks } from './choices.tsx'
import { isKind, type Kind, kindsOfKeys } from './kinds.ts'
import { useCreateKey } from './use-create-key.ts'

/** Creates a key for programs, then shows it once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('PLAYER')
  const { create, createdKey, isPending, error } = useCreateKey(kind)
  if (createdKey !== undefined) return <KeyShown apiKey={createdKey} onClose={onClose} />
  return (
    <Dialog title={t('access.create')} isOpen onClose={onClose}>
      <EditForm onSubmit={create} onCancel={onClose} isBusy={isPending} error={error} label={t('access.create')}>
        <Choice
          label={t('access.kind')}
          name="kind"
          hint={t(`access.about${kind}`)}
          choices={kindsOfKeys()}
          defaultValue={kind}
          onChange={(id) => isKind(id) && setKind(id)}
        />
        <TextInput label={t('access.title')} name="title" hint={t('access.titleHint')} isRequired />
        <KeyCollectionChoice />
        {kind === 'PLAYER' && <VariantChecks />}
        {kind === 'PLAYER' && <Check name="isDownloadable">{t('access.isDownloadable')}</Check>}
        <TextInput label={t('access.expiresAt')} name="expiresAt" type="datetime-local" hint={t('access.expiryHint')} />
      </EditForm>
    </Dialog>
  )
}

/** The only time that the key is shown: the service stores its hash. */
const KeyShown = ({ apiKey, onClose }: { apiKey: string; onClose: () => void }) => (
  <SecretDialog
    title={t('access.isCreated')}
    label={t('access.key')}
    secret={apiKey}
    hint={t('access.shownOnce')}
    onClose={onClose}
  />
)
