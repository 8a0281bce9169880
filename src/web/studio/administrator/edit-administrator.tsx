import { useState } from 'react'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import {
  DeleteAdministratorDocument,
  type PersonFragment,
  RemoveSecondFactorDocument,
  ResetAdministratorPasswordDocument,
  UpdateAdministratorDocument,
} from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { Confirm, Dialog, EditForm } from '../ui/dialog.tsx'
import { Check } from '../ui/field.tsx'
import { useEdit } from '../use-edit.ts'
import { InitialPassword } from './initial-password.tsx'
import { RoleChoice, readRole } from './role-choice.tsx'

interface Props {
  of: PersonFragment
  /** Whether it is the signed-in administrator. */
  isOwn: boolean
  onClose: () => void
}

/** Changes, resets or deletes an administrator. For owners. */
export function EditAdministrator(props: Props) {
  const [step, setStep] = useState<'edit' | 'reset' | 'factor' | 'delete'>('edit')
  const back = () => setStep('edit')
  if (step === 'reset') return <Reset {...props} onBack={back} />
  if (step === 'factor') return <RemoveFactor {...props} onBack={back} />
  if (step === 'delete') return <Delete {...props} onBack={back} />
  return (
    <Dialog title={props.of.email} isOpen onClose={props.onClose}>
      <Access {...props} />
      <div className="actions apart">
        <Button onPress={() => setStep('reset')}>{t('administrator.reset')}</Button>
        {props.of.hasSecondFactor && !props.isOwn && (
          <Button onPress={() => setStep('factor')}>{t('administrator.removeFactor')}</Button>
        )}
        <Button kind="danger" onPress={() => setStep('delete')}>
          {t('studio.delete')}
        </Button>
      </div>
    </Dialog>
  )
}

/** Role, and whether the administrator may sign in. */
function Access({ of: { id, role, isDisabled }, onClose }: Props) {
  const edit = useEdit(UpdateAdministratorDocument, id, onClose)
  const save = (fields: FormData) => edit.save({ role: readRole(fields), isDisabled: fields.has('isDisabled') })
  return (
    <EditForm onSubmit={save} onCancel={onClose} isBusy={edit.isBusy} error={edit.error}>
      <RoleChoice current={role} />
      <Check name="isDisabled" defaultSelected={isDisabled}>
        {t('administrator.isDisabled')}
      </Check>
    </EditForm>
  )
}

function Reset({ of: { id, email }, onClose, onBack }: Props & { onBack: () => void }) {
  const reset = useChange(ResetAdministratorPasswordDocument)
  if (reset.data) {
    return <InitialPassword email={email} password={reset.data.resetAdministratorPassword.password} onClose={onClose} />
  }
  return (
    <Confirm
      title={t('administrator.resetTitle')}
      text={t('administrator.resetText', { email })}
      label={t('administrator.reset')}
      isOpen
      isBusy={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate({ id })}
      onClose={onBack}
    />
  )
}

function RemoveFactor({ of: { id, email }, onClose, onBack }: Props & { onBack: () => void }) {
  const remove = useChange(RemoveSecondFactorDocument)
  return (
    <Confirm
      title={t('administrator.removeFactorTitle')}
      text={t('administrator.removeFactorText', { email })}
      label={t('administrator.removeFactor')}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ id }, { onSuccess: onClose })}
      onClose={onBack}
    />
  )
}

function Delete({ of: { id, email }, onClose, onBack }: Props & { onBack: () => void }) {
  const remove = useChange(DeleteAdministratorDocument)
  return (
    <Confirm
      title={t('administrator.deleteTitle', { email })}
      text={t('administrator.deleteText')}
      label={t('studio.delete')}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ id }, { onSuccess: onClose })}
      onClose={onBack}
    />
  )
}
