import { t } from '../../strings.ts'
import { readText, timeOrNull } from '../form-values.ts'
import { TextInput } from '../ui/field.tsx'

/** When a new link opens and ends, and where its player may be. */
export const LinkLimits = () => (
  <>
    <TextInput label={t('link.opensAt')} name="opensAt" type="datetime-local" hint={t('link.openingHint')} />
    <TextInput label={t('access.expiresAt')} name="expiresAt" type="datetime-local" hint={t('link.expiryHint')} />
    <TextInput label={t('link.sites')} name="sites" hint={t('link.sitesHint')} />
  </>
)

/** The limits of a form, as the input of a share key. */
export const readLimits = (fields: FormData) => ({
  opensAt: timeOrNull(fields, 'opensAt'),
  expiresAt: timeOrNull(fields, 'expiresAt'),
  sites: readText(fields, 'sites')
    .split(/[\s,;]+/)
    .filter(Boolean),
})
