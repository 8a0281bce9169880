import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readSecret, readText } from '../form-values.ts'
import { EnableSecondFactorDocument, type PrepareSecondFactorMutation } from '../generated/operations.ts'
import { QrCode } from '../link/qr-code.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { CodeField, PasswordField } from './proof-fields.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

interface Props {
  of: PrepareSecondFactorMutation['prepareSecondFactor']
  onClose: () => void
}

/** Shows the secret for the app, and takes the first code. Then shows the recovery codes. */
export function SetUpSecondFactor({ of: { setup, secret, uri }, onClose }: Props) {
  const enable = useChange(EnableSecondFactorDocument)
  if (enable.data) return <RecoveryCodes codes={enable.data.enableSecondFactor.recoveryCodes} onClose={onClose} />
  const save = (fields: FormData) =>
    enable.mutate({ setup, password: readSecret(fields, 'password'), code: readText(fields, 'code') })
  return (
    <Dialog title={t('account.setUpFactor')} isOpen onClose={onClose}>
      <div className="factor-setup">
        <p>{t('account.scan')}</p>
        <div className="factor-code">
          <QrCode text={uri} label={t('account.qrCode')} />
        </div>
        <CopyField label={t('account.secret')} value={secret} />
        <EditForm
          onSubmit={save}
          onCancel={onClose}
          isBusy={enable.isPending}
          error={enable.error}
          label={t('account.enableFactor')}
        >
          <CodeField hint={t('account.firstCodeHint')} />
          <PasswordField />
        </EditForm>
      </div>
    </Dialog>
  )
}
