import { t } from '../../strings.ts'
import { formatLocalTime, numberOrNull, readSecret, readText, timeOrNull } from '../form-values.ts'
import type { LinkRowFragment as Link } from '../generated/operations.ts'
import { Check, TextInput } from '../ui/field.tsx'

/** Separates the names of a list that a person types. */
const SEPARATORS = /[\s,;]+/

/** Limits that are a number, with their hints. */
const numbers = [
  ['maxPlays', 'link.maxPlaysHint'],
  ['maxDailyListeners', 'link.maxListenersHint'],
  ['maxConcurrentListeners', 'link.maxListenersHint'],
] as const

/** When a link opens and ends, how much it plays, where and for whom. @param of a link that is changed */
export const LinkLimits = ({ of: link }: { of?: Link }) => (
  <>
    <div className="limits">
      <TextInput
        label={t('link.opensAt')}
        name="opensAt"
        type="datetime-local"
        hint={t('link.openingHint')}
        defaultValue={formatLocalTime(link?.opensAt)}
      />
      <TextInput
        label={t('access.expiresAt')}
        name="expiresAt"
        type="datetime-local"
        hint={t('link.expiryHint')}
        defaultValue={formatLocalTime(link?.expiresAt)}
      />
    </div>
    <div className="limits">
      {numbers.map(([name, hint]) => (
        <TextInput
          key={name}
          label={t(`link.${name}`)}
          name={name}
          type="number"
          hint={t(hint)}
          defaultValue={toText(link?.[name])}
        />
      ))}
    </div>
    <TextInput
      label={t('link.password')}
      name="password"
      type="password"
      hint={t(link?.hasPassword ? 'link.passwordKept' : 'link.passwordHint')}
      autoComplete="new-password"
    />
    {link?.hasPassword && <Check name="isPasswordRemoved">{t('link.removePassword')}</Check>}
    <TextInput label={t('link.sites')} name="sites" hint={t('link.sitesHint')} defaultValue={link?.sites.join(', ')} />
    <TextInput
      label={t('link.countries')}
      name="countries"
      hint={t('link.countriesHint')}
      defaultValue={link?.countries.join(', ')}
    />
    <Check name="isDownloadable" defaultSelected={link?.isDownloadable}>
      {t('link.isDownloadable')}
    </Check>
  </>
)

const toText = (value: number | null | undefined): string => (value ?? '').toString()

/** The limits of a form, as the input of a new share key. */
export const readLimits = (fields: FormData) => ({
  opensAt: timeOrNull(fields, 'opensAt'),
  expiresAt: timeOrNull(fields, 'expiresAt'),
  maxPlays: numberOrNull(fields, 'maxPlays'),
  maxDailyListeners: numberOrNull(fields, 'maxDailyListeners'),
  maxConcurrentListeners: numberOrNull(fields, 'maxConcurrentListeners'),
  password: readSecret(fields, 'password') || null,
  sites: readNames(fields, 'sites'),
  countries: readNames(fields, 'countries'),
  isDownloadable: fields.has('isDownloadable'),
})

/** The same of a key that exists: only what a person has changed. Fields of times show no seconds. */
export function readChangedLimits(fields: FormData, link: Link) {
  const { opensAt, expiresAt, password, ...others } = readLimits(fields)
  const isSame = (name: 'opensAt' | 'expiresAt') => readText(fields, name) === formatLocalTime(link[name])
  return {
    ...others,
    ...(!isSame('opensAt') && { opensAt }),
    ...(!isSame('expiresAt') && { expiresAt }),
    ...(password !== null && { password }),
    ...(fields.has('isPasswordRemoved') && { password: null }),
  }
}

const readNames = (fields: FormData, name: string): string[] => readText(fields, name).split(SEPARATORS).filter(Boolean)
