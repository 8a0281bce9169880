import { useState } from 'react'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { ActivateSigningSecretDocument, RemoveSigningSecretDocument } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { Confirm, Dialog, EditForm } from '../ui/dialog.tsx'
import { Check } from '../ui/field.tsx'

interface Props {
  organizationId: string
  id: string
}

/** Buttons of a secret that does not sign. */
export function SecretActions(secret: Props) {
  const [open, setOpen] = useState<'activate' | 'remove' | null>(null)
  const close = () => setOpen(null)
  return (
    <span className="actions">
      <Button onPress={() => setOpen('activate')}>{t('organization.activate')}</Button>
      <Button kind="danger" onPress={() => setOpen('remove')}>
        {t('organization.remove')}
      </Button>
      {open === 'activate' && <Activate {...secret} onClose={close} />}
      {open === 'remove' && <Remove {...secret} onClose={close} />}
    </span>
  )
}

function Activate({ onClose, ...secret }: Props & { onClose: () => void }) {
  const activate = useChange(ActivateSigningSecretDocument)
  return (
    <Confirm
      title={t('organization.activateTitle')}
      text={t('organization.activateText')}
      label={t('organization.activate')}
      isOpen
      isBusy={activate.isPending}
      error={activate.error}
      onConfirm={() => activate.mutate(secret, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

/** The service refuses a secret that signed in the last hour, unless it is forced. */
function Remove({ onClose, ...secret }: Props & { onClose: () => void }) {
  const remove = useChange(RemoveSigningSecretDocument)
  return (
    <Dialog title={t('organization.removeTitle')} isOpen onClose={onClose}>
      <EditForm
        onSubmit={(fields) => remove.mutate({ ...secret, isForced: fields.has('isForced') }, { onSuccess: onClose })}
        onCancel={onClose}
        isBusy={remove.isPending}
        error={remove.error}
        label={t('organization.remove')}
      >
        <p>{t('organization.removeText')}</p>
        <Check name="isForced">{t('organization.isForced')}</Check>
      </EditForm>
    </Dialog>
  )
}
