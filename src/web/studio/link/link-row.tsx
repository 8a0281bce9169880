import { formatDate, formatNumber, t } from '../../strings.ts'
import type { LinkRowFragment as Link } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { copyToClipboard } from '../ui/copy-field.tsx'
import { findAddress, findSubject } from './subject.ts'
import { isMaster } from './variants.ts'

/** An action of a person on a link of a list. */
export type LinkAction = { kind: 'show' | 'edit' | 'revoke'; link: Link }

interface Props {
  of: Link
  /** Play requests by key. Undefined while they are read. */
  plays: ReadonlyMap<string, number> | undefined
  onAct: (kind: LinkAction['kind']) => void
}

/** A link and its use. Its dialogs are outside of the list, which removes rows while it is scrolled or read again. */
export function LinkRow({ of: link, plays, onAct }: Props) {
  const canWrite = useCanWrite()
  const address = findAddress(link)
  const isLost = canWrite && link.isActive && link.shareKey === null
  return (
    <>
      <span className="lines link">
        <strong>{titleOfLink(link)}</strong>
        <span className="detail">{describeLink(link, plays).join(' · ')}</span>
        {isLost && <span className="detail">{t('link.lost')}</span>}
      </span>
      {link.variant && isMaster(link.variant) && <span className="badge wrong">{t('link.master')}</span>}
      {!link.isActive && (
        <span className="badge wrong">{t(link.revokedAt ? 'access.stateRevoked' : 'access.stateExpired')}</span>
      )}
      {address && <Button onPress={() => void copyToClipboard(address)}>{t('link.copy')}</Button>}
      {link.isActive && link.shareKey !== null && <Button onPress={() => onAct('show')}>{t('link.show')}</Button>}
      {canWrite && !link.revokedAt && <Button onPress={() => onAct('edit')}>{t('link.editShort')}</Button>}
      {canWrite && !link.revokedAt && (
        <Button kind="danger" onPress={() => onAct('revoke')}>
          {t('access.revoke')}
        </Button>
      )}
    </>
  )
}

export function titleOfLink(link: Link): string {
  if (link.trackId === null && link.collection === null) return t('link.everything')
  return findSubject(link)?.title ?? link.title
}

function describeLink(link: Link, plays: Props['plays']): string[] {
  const { id, title, variant, lastUsedAt, opensAt, expiresAt, revokedAt } = link
  const isEarly = opensAt !== null && Date.parse(opensAt) > Date.now()
  const expiry = expiresAt ? t('access.expires', { at: formatDate(expiresAt) }) : t('link.endless')
  return [
    title === titleOfLink(link) ? null : title,
    link.isPrivateFeed ? t('feeds.isPrivate') : null,
    variant?.index,
    ...describeLimits(link),
    isEarly ? t('link.opens', { at: formatDate(opensAt) }) : null,
    plays && t('link.plays', { count: formatNumber(plays.get(id) ?? 0) }),
    lastUsedAt ? t('access.used', { at: formatDate(lastUsedAt) }) : t('access.neverUsed'),
    revokedAt ? t('access.revokedAt', { at: formatDate(revokedAt) }) : expiry,
  ].filter((part): part is string => !!part)
}

/** Limits of a link, beyond its times. Null for one that it does not have. */
export function describeLimits(link: Link): (string | null)[] {
  const { sites, countries, maxPlays, maxDailyListeners, maxConcurrentListeners, countedPlays } = link
  return [
    maxPlays === null ? null : t('link.playsOf', { count: formatNumber(countedPlays), max: formatNumber(maxPlays) }),
    maxDailyListeners === null ? null : t('link.dailyListeners', { max: formatNumber(maxDailyListeners) }),
    maxConcurrentListeners === null ? null : t('link.atOnce', { max: formatNumber(maxConcurrentListeners) }),
    link.hasPassword ? t('link.withPassword') : null,
    sites.length > 0 ? t('link.onSites', { sites: sites.join(', ') }) : null,
    countries.length > 0 ? t('link.inCountries', { countries: countries.join(', ') }) : null,
    link.isDownloadable ? t('link.withDownload') : null,
  ]
}
