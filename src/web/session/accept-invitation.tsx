import { useEffect, useId, useState } from 'react'
import { t } from '../strings.ts'
import { ApiError, ask, formatError } from './api.ts'
import { FormProblem, Submit, useSubmit } from './form.tsx'
import { OPEN_INVITATION } from './operations.ts'
import { SignInCard } from './sign-in-card.tsx'
import { useSession, useSessionStore } from './use-session.ts'

interface Invitation {
  email: string
  role: 'OWNER' | 'ADMIN' | 'VIEWER'
  organizationName: string
}

const MIN_PASSWORD_CHARS = 12

/**
 * The page of an invitation, whose token is in the fragment of its address.
 * @param onDone called when the person is signed in
 */
export function AcceptInvitation({ onDone }: { onDone: () => void }) {
  const [token] = useState(() => location.hash.slice(1))
  const [invitation, setInvitation] = useState<Invitation | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    ask<{ openInvitation: Invitation }>((url, init) => fetch(url, init), OPEN_INVITATION, { token }).then(
      ({ openInvitation }) => setInvitation(openInvitation),
      (error: unknown) => setProblem(describeProblem(error)),
    )
  }, [token])
  return (
    <SignInCard>
      {problem !== null ? (
        <>
          <p className="notice" role="status">
            {problem}
          </p>
          <a className="link" href={location.pathname.replace(/\/[^/]*$/, '')}>
            {t('session.signIn')}
          </a>
        </>
      ) : (
        invitation && (
          <JoinForm
            of={invitation}
            token={token}
            onDone={onDone}
            onEnded={() => setProblem(t('session.invitationEnded'))}
          />
        )
      )}
    </SignInCard>
  )
}

const isEnded = (error: unknown): boolean => error instanceof ApiError && error.code === 'expired'

const describeProblem = (error: unknown): string => (isEnded(error) ? t('session.invitationEnded') : formatError(error))

interface Props {
  of: Invitation
  token: string
  onDone: () => void
  onEnded: () => void
}

function JoinForm({ of: { email, role, organizationName }, token, onDone, onEnded }: Props) {
  const store = useSessionStore()
  const { session } = useSession()
  const { isBusy, problem, submit } = useSubmit(async (field) => {
    try {
      await store.acceptInvitation(token, field('name'), field('password'))
      onDone()
    } catch (error) {
      if (!isEnded(error)) throw error
      onEnded()
    }
  })
  const [address, name, password, hint] = [useId(), useId(), useId(), useId()]
  return (
    <>
      <p className="lead">
        {t('session.invited', { organization: organizationName, role: t(`administrator.role${role}`) })}
      </p>
      {session && session.name !== email && (
        <p className="notice">{t('session.invitedOther', { name: session.name, email })}</p>
      )}
      <form onSubmit={submit} aria-label={t('session.join')}>
        <label htmlFor={address}>{t('session.email')}</label>
        {/* For the browser's password manager. */}
        <input id={address} type="email" autoComplete="username" value={email} readOnly />
        <label htmlFor={name}>{t('account.name')}</label>
        {/* biome-ignore lint/a11y/noAutofocus: the form is all that the page shows */}
        <input id={name} name="name" autoComplete="name" maxLength={200} required autoFocus />
        <label htmlFor={password}>{t('session.password')}</label>
        <input
          id={password}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={MIN_PASSWORD_CHARS}
          aria-describedby={hint}
          required
        />
        <p className="hint" id={hint}>
          {t('account.newPasswordHint')}
        </p>
        <FormProblem text={problem} />
        <Submit isBusy={isBusy} label={t('session.join')} />
      </form>
    </>
  )
}
