import { t } from '../../strings.ts'
import { SecretDialog } from '../ui/secret-dialog.tsx'

interface Props {
  email: string
  password: string
  onClose: () => void
}

export const InitialPassword = ({ email, password, onClose }: Props) => (
  <SecretDialog
    title={t('administrator.passwordTitle')}
    label={t('session.password')}
    secret={password}
    hint={t('administrator.passwordHint', { email })}
    onClose={onClose}
  />
)
