import { useState } from 'react'
import { t } from '../../strings.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Check, Choice, TextInput } from '../ui/field.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { KeyCollectionChoice, VariantChecks, VariantChoice } from './choices.tsx'
import { isKind, type Kind, kindsOfKeys } from './kinds.ts'
import { LinkShown } from './link-shown.tsx'
import { useCreateKey } from './use-create-key.ts'

/** Creates a key of any kind, then shows it once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('SHARE')
  const { create, created, isPending, error } = useCreateKey(kind)
  if (created) return <KeyShown kind={kind} apiKey={created.key} collection={created.collection} onClose={onClose} />
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
        {kind === 'SHARE' && <VariantChoice />}
        {kind === 'PLAYER' && <VariantChecks />}
        {kind === 'PLAYER' && <Check name="isDownloadable">{t('access.isDownloadable')}</Check>}
        <TextInput label={t('access.expiresAt')} name="expiresAt" type="datetime-local" hint={t('access.expiryHint')} />
      </EditForm>
    </Dialog>
  )
}

interface ShownProps {
  kind: Kind
  apiKey: string
  /** That the key is limited to. */
  collection: { id: string; title: string } | null
  onClose: () => void
}

/** The only time that the key is shown: the service stores its hash. */
function KeyShown({ kind, apiKey, collection, onClose }: ShownProps) {
  return (
    <SecretDialog
      title={t('access.isCreated')}
      label={t('access.key')}
      secret={apiKey}
      hint={t('access.shownOnce')}
      onClose={onClose}
    >
      {kind === 'SHARE' && collection && (
        <LinkShown kind="collection" id={collection.id} title={collection.title} apiKey={apiKey} />
      )}
      {kind === 'SHARE' && !collection && <p>{t('access.shareOfAny')}</p>}
    </SecretDialog>
  )
}
