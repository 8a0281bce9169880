import { useState } from 'react'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readSecret } from '../form-values.ts'
import { ChangePasswordDocument } from '../generated/operations.ts'
import { EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'

export function ChangePassword() {
  const change = useChange(ChangePasswordDocument)
  const [count, setCount] = useState(0)
  const save = (fields: FormData) =>
    change.mutate(
      { currentPassword: readSecret(fields, 'currentPassword'), newPassword: readSecret(fields, 'newPassword') },
      {
        onSuccess: () => {
          setCount(count + 1)
          say(t('account.passwordChanged'))
        },
      },
    )
  return (
    <Section title={t('session.password')}>
      <EditForm
        key={count}
        onSubmit={save}
        isBusy={change.isPending}
        error={change.error}
        label={t('account.changePassword')}
      >
        <TextInput
          label={t('account.currentPassword')}
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          isRequired
        />
        <TextInput
          label={t('account.newPassword')}
          name="newPassword"
          type="password"
          autoComplete="new-password"
          hint={t('account.newPasswordHint')}
          isRequired
        />
      </EditForm>
    </Section>
  )
}
