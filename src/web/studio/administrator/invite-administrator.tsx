import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { textOf } from '../form-values.ts'
import { CreateAdministratorDocument } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { InitialPassword } from './initial-password.tsx'
import { RoleChoice, roleOf } from './role-choice.tsx'

/** Creates an administrator, then shows the generated password once. */
export function InviteAdministrator({ onClose }: { onClose: () => void }) {
  const create = useChange(CreateAdministratorDocument)
  if (create.data) {
    const { administrator, password } = create.data.createAdministrator
    return <InitialPassword email={administrator.email} password={password} onClose={onClose} />
  }
  return (
    <Dialog title={t('administrator.invite')} isOpen onClose={onClose}>
      <EditForm
        onSubmit={(fields) => create.mutate({ input: { email: textOf(fields, 'email'), role: roleOf(fields) } })}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
        label={t('administrator.invite')}
      >
        <TextInput label={t('session.email')} name="email" type="email" isRequired />
        <RoleChoice current="ADMIN" />
      </EditForm>
    </Dialog>
  )
}
