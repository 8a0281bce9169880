import { t } from '../../strings.ts'
import { TextInput } from '../ui/field.tsx'

/** When a new link opens and ends. */
export const LinkTimes = () => (
  <>
    <TextInput label={t('link.opensAt')} name="opensAt" type="datetime-local" hint={t('link.openingHint')} />
    <TextInput label={t('access.expiresAt')} name="expiresAt" type="datetime-local" hint={t('link.expiryHint')} />
  </>
)
