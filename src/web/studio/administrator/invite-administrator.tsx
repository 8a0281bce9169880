import { formatDate, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText } from '../form-values.ts'
import { CreateInvitationDocument } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { RoleChoice, readRole } from './role-choice.tsx'

/** Creates an invitation, then shows its link once. */
export function InviteAdministrator({ onClose }: { onClose: () => void }) {
  const create = useChange(CreateInvitationDocument)
  if (create.data) {
    const { invitation, link } = create.data.createInvitation
    const values = { email: invitation.email, at: formatDate(invitation.expiresAt) }
    return (
      <SecretDialog
        title={t('administrator.linkTitle')}
        label={t('administrator.link')}
        secret={link}
        hint={t('administrator.linkHint', values)}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog title={t('administrator.invite')} isOpen onClose={onClose}>
      <EditForm
        onSubmit={(fields) => create.mutate({ input: { email: readText(fields, 'email'), role: readRole(fields) } })}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
        label={t('administrator.createLink')}
      >
        <TextInput
          label={t('session.email')}
          name="email"
          type="email"
          hint={t('administrator.inviteHint')}
          isRequired
        />
        <RoleChoice current="ADMIN" />
      </EditForm>
    </Dialog>
  )
}
