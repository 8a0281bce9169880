import { useId, useState } from 'react'
import { t } from '../strings.ts'
import { ApiError } from './api.ts'
import { FormProblem, Submit, useSubmit } from './form.tsx'
import { issuerSignInUrl, readIssuerName } from './issuer.ts'
import { hasPasskeys, signWithPasskey } from './passkey.ts'
import { SignInCard } from './sign-in-card.tsx'
import { SiteLinks } from './site-links.tsx'
import { useSession, useSessionStore } from './use-session.ts'

type Way = 'password' | 'key'

/**
 * The form that is shown while signed out.
 * @param lead what the page is for
 * @param isForKeys whether a key is accepted instead of a password. Defaults to true
 */
export function SignIn({ lead, isForKeys = true }: { lead: string; isForKeys?: boolean }) {
  const { notice } = useSession()
  const [way, setWay] = useState<Way>('password')
  const issuer = readIssuerName()
  return (
    <SignInCard>
      <p className="lead">{lead}</p>
      {notice && (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      {issuer && <IssuerButton name={issuer} />}
      {way === 'password' ? <PasswordForm /> : <KeyForm />}
      {way === 'password' && hasPasskeys() && <PasskeyButton />}
      {isForKeys && (
        <button type="button" className="link" onClick={() => setWay(way === 'password' ? 'key' : 'password')}>
          {t(way === 'password' ? 'session.useKeyInstead' : 'session.usePasswordInstead')}
        </button>
      )}
      <SiteLinks />
    </SignInCard>
  )
}

function IssuerButton({ name }: { name: string }) {
  return (
    <>
      <button
        type="button"
        className="primary"
        onClick={() => location.assign(issuerSignInUrl(sessionStorage, location.pathname))}
      >
        {t('session.signInAt', { name })}
      </button>
      <p className="or">{t('session.or')}</p>
    </>
  )
}

function PasskeyButton() {
  const { signInWithPasskey } = useSessionStore()
  const { isBusy, problem, submit } = useSubmit(() => signInWithPasskey(signWithPasskey))
  return (
    <form onSubmit={submit} aria-label={t('session.passkey')} className="passkey">
      <FormProblem text={problem} />
      <button type="submit" className="plain" aria-disabled={isBusy}>
        {t('session.passkey')}
      </button>
    </form>
  )
}

/** Email address and password, then the code of a second factor if the administrator has one. */
function PasswordForm() {
  const { signIn } = useSessionStore()
  const [verified, setVerified] = useState<{ email: string; password: string } | null>(null)
  const { isBusy, problem, submit } = useSubmit(async (field) => {
    const [email, password] = [field('email'), field('password')]
    await signIn(email, password).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'second_factor_required') throw error
      setVerified({ email, password })
    })
  })
  const [email, password] = [useId(), useId()]
  if (verified) {
    const enter = (code: string) => signIn(verified.email, verified.password, code)
    return <CodeForm enter={enter} onBack={() => setVerified(null)} />
  }
  return (
    <form onSubmit={submit} aria-label={t('session.signIn')}>
      <label htmlFor={email}>{t('session.email')}</label>
      {/* biome-ignore lint/a11y/noAutofocus: the form is all that the page shows */}
      <input id={email} name="email" type="email" autoComplete="username" required autoFocus />
      <label htmlFor={password}>{t('session.password')}</label>
      <input id={password} name="password" type="password" autoComplete="current-password" required />
      <p className="hint">{t('session.browserHint')}</p>
      <FormProblem text={problem} />
      <Submit isBusy={isBusy} label={t('session.signIn')} />
    </form>
  )
}

interface CodeFormProps {
  /** Signs in with the code. */
  enter: (code: string) => Promise<void>
  /** Returns to the first form. Absent where there is none. */
  onBack?: () => void
}

/** Asks for the code of a second factor. */
export function CodeForm({ enter, onBack }: CodeFormProps) {
  const { isBusy, problem, submit } = useSubmit((field) => enter(field('code')))
  const [code, hint] = [useId(), useId()]
  return (
    <form onSubmit={submit} aria-label={t('session.code')}>
      <label htmlFor={code}>{t('session.code')}</label>
      {/* biome-ignore-start lint/a11y/noAutofocus: the form asks for this field only */}
      <input
        id={code}
        name="code"
        className="code"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        aria-describedby={hint}
        required
        autoFocus
      />
      {/* biome-ignore-end lint/a11y/noAutofocus: the form asks for this field only */}
      <p className="hint" id={hint}>
        {t('session.codeHint')}
      </p>
      <FormProblem text={problem} />
      <Submit isBusy={isBusy} label={t('session.signIn')} />
      {onBack && (
        <button type="button" className="link" onClick={onBack}>
          {t('session.otherPerson')}
        </button>
      )}
    </form>
  )
}

function KeyForm() {
  const { useKey: enter } = useSessionStore()
  const { isBusy, problem, submit } = useSubmit((field) => enter(field('key').trim()))
  const key = useId()
  return (
    <form onSubmit={submit} aria-label={t('session.useKey')}>
      <label htmlFor={key}>{t('session.key')}</label>
      {/* biome-ignore lint/a11y/noAutofocus: a person has just asked for this field */}
      <input id={key} name="key" type="password" autoComplete="off" spellCheck={false} required autoFocus />
      <p className="hint">{t('session.keyHint')}</p>
      <FormProblem text={problem} />
      <Submit isBusy={isBusy} label={t('session.useThisKey')} />
    </form>
  )
}
