import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { readIssuerName } from '../../session/issuer.ts'
import { t } from '../../strings.ts'
import { useChange, useRun } from '../api.ts'
import { readSecret, readText } from '../form-values.ts'
import {
  CreateRecoveryCodesDocument,
  DisableSecondFactorDocument,
  PrepareSecondFactorDocument,
} from '../generated/operations.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { CodeField, PasswordField } from './proof-fields.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SetUpSecondFactor } from './set-up-second-factor.tsx'

interface Props {
  isEnabled: boolean
  recoveryCodesLeft: number
}

/** Below this number a person is asked for new ones. */
const FEW_CODES = 3

export function SecondFactor({ isEnabled, recoveryCodesLeft }: Props) {
  const run = useRun()
  const prepare = useMutation({ mutationFn: () => run(PrepareSecondFactorDocument, {}) })
  const [step, setStep] = useState<'codes' | 'disable' | null>(null)
  const close = () => setStep(null)
  const issuer = readIssuerName()
  return (
    <Section title={t('account.secondFactor')} lead={t('account.secondFactorLead')}>
      {isEnabled && (
        <p className={recoveryCodesLeft < FEW_CODES ? 'problem' : undefined}>
          <span className="badge good">{t('account.factorOn')}</span>{' '}
          {t('account.codesLeft', { count: recoveryCodesLeft })}
        </p>
      )}
      {issuer && <p className="quiet">{t('account.factorIssuer', { name: issuer })}</p>}
      <Refusal error={prepare.error} />
      <div className="actions">
        {isEnabled ? (
          <>
            <Button onPress={() => setStep('codes')}>{t('account.newCodes')}</Button>
            <Button kind="danger" onPress={() => setStep('disable')}>
              {t('account.disableFactor')}
            </Button>
          </>
        ) : (
          <Button kind="primary" isPending={prepare.isPending} onPress={() => prepare.mutate()}>
            {t('account.setUpFactor')}
          </Button>
        )}
      </div>
      {prepare.data && <SetUpSecondFactor of={prepare.data.prepareSecondFactor} onClose={prepare.reset} />}
      {step === 'codes' && <NewCodes onClose={close} />}
      {step === 'disable' && <Disable onClose={close} />}
    </Section>
  )
}

const readProof = (fields: FormData) => ({ password: readSecret(fields, 'password'), code: readText(fields, 'code') })

function NewCodes({ onClose }: { onClose: () => void }) {
  const create = useChange(CreateRecoveryCodesDocument)
  if (create.data) return <RecoveryCodes codes={create.data.createRecoveryCodes.recoveryCodes} onClose={onClose} />
  return (
    <Dialog title={t('account.newCodes')} isOpen onClose={onClose}>
      <p>{t('account.newCodesText')}</p>
      <EditForm
        onSubmit={(fields) => create.mutate(readProof(fields))}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
        label={t('account.newCodes')}
      >
        <PasswordField />
        <CodeField hint={t('session.codeHint')} />
      </EditForm>
    </Dialog>
  )
}

function Disable({ onClose }: { onClose: () => void }) {
  const disable = useChange(DisableSecondFactorDocument)
  const save = (fields: FormData) =>
    disable.mutate(readProof(fields), {
      onSuccess: () => {
        say(t('account.factorDisabled'))
        onClose()
      },
    })
  return (
    <Dialog title={t('account.disableFactorTitle')} isOpen onClose={onClose}>
      <p>{t('account.disableFactorText')}</p>
      <EditForm
        onSubmit={save}
        onCancel={onClose}
        isBusy={disable.isPending}
        error={disable.error}
        label={t('account.disableFactor')}
      >
        <PasswordField />
        <CodeField hint={t('session.codeHint')} />
      </EditForm>
    </Dialog>
  )
}
