import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSessionStore } from '../../session/use-session.ts'
import { t } from '../../strings.ts'
import { useChange, useRun } from '../api.ts'
import { ChangePasswordDocument, SignOutEverywhereDocument } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { Confirm, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'

/** Password and sessions of the signed-in administrator, of any role. */
export function OwnAccount() {
  const [isAsking, setAsking] = useState(false)
  return (
    <section aria-labelledby="own-account">
      <h2 id="own-account">{t('administrator.ownAccount')}</h2>
      <ChangePassword />
      <h3>{t('administrator.sessions')}</h3>
      <Button onPress={() => setAsking(true)}>{t('administrator.signOutEverywhere')}</Button>
      {isAsking && <SignOutEverywhere onClose={() => setAsking(false)} />}
    </section>
  )
}

function ChangePassword() {
  const change = useChange(ChangePasswordDocument)
  const [count, setCount] = useState(0)
  // Passwords are sent as they were typed, with spaces around them.
  const save = (fields: FormData) =>
    change.mutate(
      {
        currentPassword: String(fields.get('currentPassword')),
        newPassword: String(fields.get('newPassword')),
      },
      {
        onSuccess: () => {
          setCount(count + 1)
          say(t('administrator.passwordChanged'))
        },
      },
    )
  return (
    <EditForm
      key={count}
      onSubmit={save}
      isBusy={change.isPending}
      error={change.error}
      label={t('administrator.changePassword')}
    >
      <TextInput
        label={t('administrator.currentPassword')}
        name="currentPassword"
        type="password"
        autoComplete="current-password"
        isRequired
      />
      <TextInput
        label={t('administrator.newPassword')}
        name="newPassword"
        type="password"
        autoComplete="new-password"
        hint={t('administrator.newPasswordHint')}
        isRequired
      />
    </EditForm>
  )
}

/** Ends the session of this page, too. */
function SignOutEverywhere({ onClose }: { onClose: () => void }) {
  const run = useRun()
  const { signOut } = useSessionStore()
  const end = useMutation({ mutationFn: () => run(SignOutEverywhereDocument, {}), onSuccess: signOut })
  return (
    <Confirm
      title={t('administrator.signOutTitle')}
      text={t('administrator.signOutText')}
      label={t('administrator.signOutEverywhere')}
      isOpen
      isBusy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    />
  )
}
