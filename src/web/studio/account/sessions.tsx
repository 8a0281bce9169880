import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSessionStore } from '../../session/use-session.ts'
import { formatDate, t } from '../../strings.ts'
import { useChange, useRun } from '../api.ts'
import {
  EndSignInSessionDocument,
  type OwnSessionFragment,
  SignOutEverywhereDocument,
} from '../generated/operations.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Section } from '../ui/section.tsx'
import { describeBrowser } from './browser-name.ts'

/** Sessions that have not ended. Each may be ended, and all at once. */
export function Sessions({ of: sessions }: { of: readonly OwnSessionFragment[] }) {
  const [isConfirming, setConfirming] = useState(false)
  const end = useChange(EndSignInSessionDocument)
  return (
    <Section title={t('account.sessions')} lead={t('account.sessionsLead')}>
      <ul className="setting-list">
        {sessions.map((session) => (
          <li key={session.id}>
            <span className="lines">
              <span>{describeBrowser(session.userAgent) ?? t('account.unknownBrowser')}</span>
              <span className="detail">
                {[session.address, t('account.lastUsed', { at: formatDate(session.lastUsedAt) })]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
            {session.isCurrent ? (
              <span className="badge">{t('account.thisSession')}</span>
            ) : (
              <div className="actions">
                <Button
                  isPending={end.isPending && end.variables.id === session.id}
                  onPress={() => end.mutate({ id: session.id })}
                >
                  {t('account.endSession')}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      <Refusal error={end.error} />
      <Button onPress={() => setConfirming(true)}>{t('account.signOutEverywhere')}</Button>
      {isConfirming && <SignOutEverywhere onClose={() => setConfirming(false)} />}
    </Section>
  )
}

/** Ends the session of this page, too. */
function SignOutEverywhere({ onClose }: { onClose: () => void }) {
  const run = useRun()
  const { signOut } = useSessionStore()
  const end = useMutation({ mutationFn: () => run(SignOutEverywhereDocument, {}), onSuccess: signOut })
  return (
    <Confirm
      title={t('account.signOutTitle')}
      text={t('account.signOutText')}
      label={t('account.signOutEverywhere')}
      isOpen
      isBusy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    />
  )
}
