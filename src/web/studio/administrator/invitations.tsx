import { useState } from 'react'
import { formatDate, t } from '../../strings.ts'
import { useChange, useData } from '../api.ts'
import { InvitationsDocument, type InvitedFragment, RevokeInvitationDocument } from '../generated/operations.ts'
import { Failure } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Section } from '../ui/section.tsx'

/** Invitations that may be accepted. Nothing while there are none. For owners. */
export function Invitations() {
  const { data, error, refetch } = useData(InvitationsDocument, {})
  if (error && !data) return <Failure error={error} onRetry={refetch} />
  if (!data || data.invitations.length === 0) return null
  return (
    <div className="sections invitations">
      <Section title={t('administrator.invitations')}>
        <ul className="setting-list">
          {data.invitations.map((invitation) => (
            <li key={invitation.id}>
              <Row of={invitation} />
            </li>
          ))}
        </ul>
      </Section>
    </div>
  )
}

function Row({ of: { id, email, role, expiresAt } }: { of: InvitedFragment }) {
  const [isConfirming, setConfirming] = useState(false)
  const revoke = useChange(RevokeInvitationDocument)
  return (
    <>
      <span className="lines">
        <span>{email}</span>
        <span className="detail">
          {t(`administrator.role${role}`)} · {t('administrator.linkExpires', { at: formatDate(expiresAt) })}
        </span>
      </span>
      <div className="actions">
        <Button onPress={() => setConfirming(true)}>{t('administrator.revoke')}</Button>
      </div>
      <Confirm
        title={t('administrator.revokeTitle', { email })}
        text={t('administrator.revokeText')}
        label={t('administrator.revoke')}
        isOpen={isConfirming}
        isBusy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate({ id }, { onSuccess: () => setConfirming(false) })}
        onClose={() => setConfirming(false)}
      />
    </>
  )
}
