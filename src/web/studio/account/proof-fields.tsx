import { t } from '../../strings.ts'
import { TextInput } from '../ui/field.tsx'

export const PasswordField = () => (
  <TextInput
    label={t('account.currentPassword')}
    name="password"
    type="password"
    autoComplete="current-password"
    isRequired
  />
)

export const CodeField = ({ hint }: { hint: string }) => (
  <TextInput label={t('session.code')} name="code" hint={hint} autoComplete="one-time-code" isRequired />
)
