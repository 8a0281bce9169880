import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText } from '../form-values.ts'
import { CreateAdministratorDocument } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { InitialPassword } from './initial-password.tsx'
import { RoleChoice, readRole } from './role-choice.tsx'

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
        onSubmit={(fields) => create.mutate({ input: { email: readText(fields, 'email'), role: readRole(fields) } })}
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
