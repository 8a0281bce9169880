import { formatDate, t } from '../../strings.ts'
import type { KeysQuery } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import type { Shareable } from './share-links.tsx'

export type Key = KeysQuery['keys']['edges'][number]['node']

interface Props {
  of: Key
  onShare: (subject: Shareable) => void
  onRevoke: () => void
}

/** A key and its use. Its dialogs are outside of the list, which removes rows while it is scrolled or read again. */
export function KeyRow({ of: key, onShare, onRevoke }: Props) {
  const canWrite = useCanWrite()
  const subject = findSubject(key)
  return (
    <>
      <span className="lines">
        <strong>{key.title}</strong>
        <span className="detail">{describeKey(key).join(' · ')}</span>
      </span>
      {!key.isActive && (
        <span className="badge wrong">{t(key.revokedAt ? 'access.stateRevoked' : 'access.stateExpired')}</span>
      )}
      {canWrite && subject && <Button onPress={() => onShare(subject)}>{t('access.share')}</Button>}
      {canWrite && !key.revokedAt && (
        <Button kind="danger" onPress={onRevoke}>
          {t('access.revoke')}
        </Button>
      )}
    </>
  )
}

/** The track or collection that a share key is limited to. */
function findSubject({ kind, isActive, track, collection }: Key): Shareable | null {
  if (kind !== 'SHARE' || !isActive) return null
  if (track) return { trackId: track.id }
  return collection && { collectionId: collection.id }
}

function describeKey({ kind, collection, track, variant, variants, lastUsedAt, expiresAt, revokedAt }: Key): string[] {
  const scope = track ? (track.playerTitle ?? track.fileName) : collection?.title
  const expiry = expiresAt && t('access.expires', { at: formatDate(expiresAt) })
  const end = revokedAt ? t('access.revokedAt', { at: formatDate(revokedAt) }) : expiry
  return [
    t(`access.kind${kind}`),
    scope,
    variant?.index ?? variants.join(', '),
    lastUsedAt ? t('access.used', { at: formatDate(lastUsedAt) }) : t('access.neverUsed'),
    end,
  ].filter((part): part is string => !!part)
}
