import { formatDate, t } from '../../strings.ts'
import type { KeysQuery } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { isKind } from './kinds.ts'

export type Key = KeysQuery['keys']['edges'][number]['node']

interface Props {
  of: Key
  onRevoke: () => void
}

/** A key and its use. Its dialogs are outside of the list, which removes rows while it is scrolled or read again. */
export function KeyRow({ of: key, onRevoke }: Props) {
  const canWrite = useCanWrite()
  return (
    <>
      <span className="lines">
        <strong>{key.title}</strong>
        <span className="detail">{describeKey(key).join(' · ')}</span>
      </span>
      {!key.isActive && (
        <span className="badge wrong">{t(key.revokedAt ? 'access.stateRevoked' : 'access.stateExpired')}</span>
      )}
      {canWrite && !key.revokedAt && (
        <Button kind="danger" onPress={onRevoke}>
          {t('access.revoke')}
        </Button>
      )}
    </>
  )
}

function describeKey({ kind, collection, track, variants, lastUsedAt, expiresAt, revokedAt }: Key): string[] {
  const scope = (track ?? collection)?.title
  const expiry = expiresAt && t('access.expires', { at: formatDate(expiresAt) })
  const end = revokedAt ? t('access.revokedAt', { at: formatDate(revokedAt) }) : expiry
  return [
    isKind(kind) && t(`access.kind${kind}`),
    scope,
    variants.join(', '),
    lastUsedAt ? t('access.used', { at: formatDate(lastUsedAt) }) : t('access.neverUsed'),
    end,
  ].filter((part): part is string => !!part)
}
