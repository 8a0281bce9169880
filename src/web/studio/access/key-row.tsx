import { useState } from 'react'
import { dateOf, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { type KeysQuery, RevokeKeyDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'
import { ShareLinks } from './share-links.tsx'

type Key = KeysQuery['keys']['edges'][number]['node']

/** A key: its use, and the button that revokes it. */
export function KeyRow({ of: key }: { of: Key }) {
  const canWrite = useCanWrite()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <span className="lines">
        <strong>{key.title}</strong>
        <span className="detail">{detailsOf(key).join(' · ')}</span>
      </span>
      {!key.isActive && (
        <span className="badge wrong">{t(key.revokedAt ? 'access.stateRevoked' : 'access.stateExpired')}</span>
      )}
      {key.kind === 'SHARE' && key.isActive && <Share of={key} />}
      {canWrite && !key.revokedAt && (
        <Button kind="danger" onPress={() => setAsking(true)}>
          {t('access.revoke')}
        </Button>
      )}
      {isAsking && <Revoke of={key} onClose={() => setAsking(false)} />}
    </>
  )
}

/** Shows the link again, to a person who has kept the key. */
function Share({ of: { track, collection } }: { of: Key }) {
  if (track) return <ShareLinks trackId={track.id} />
  return collection && <ShareLinks collectionId={collection.id} />
}

function detailsOf({ kind, collection, track, variant, variants, lastUsedAt, expiresAt, revokedAt }: Key): string[] {
  const scope = track ? (track.playerTitle ?? track.fileName) : collection?.title
  const expiry = expiresAt && t('access.expires', { at: dateOf(expiresAt) })
  const end = revokedAt ? t('access.revokedAt', { at: dateOf(revokedAt) }) : expiry
  return [
    t(`access.kind${kind}`),
    scope,
    variant?.index ?? variants.join(', '),
    lastUsedAt ? t('access.used', { at: dateOf(lastUsedAt) }) : t('access.neverUsed'),
    end,
  ].filter((part): part is string => !!part)
}

function Revoke({ of: { id, title }, onClose }: { of: Key; onClose: () => void }) {
  const revoke = useChange(RevokeKeyDocument)
  return (
    <Confirm
      title={t('access.revokeTitle', { title })}
      text={t('access.revokeText')}
      label={t('access.revoke')}
      isOpen
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => {
        revoke.mutate(
          { id },
          {
            onSuccess: () => {
              onClose()
              say(t('access.isRevoked', { title }))
            },
          },
        )
      }}
      onClose={onClose}
    />
  )
}
