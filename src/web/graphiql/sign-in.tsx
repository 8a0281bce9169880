import { type FormEvent, useId, useState } from 'react'
import { SiteLinks } from './site-links.tsx'
import { useSession, useSessionStore } from './use-session.ts'

type Way = 'password' | 'key'

/** The form that is shown while signed out. */
export function SignIn() {
  const { notice } = useSession()
  const [way, setWay] = useState<Way>('password')
  const title = useId()
  return (
    <main className="sign-in" aria-labelledby={title}>
      <div className="card">
        <h1 id={title}>
          <Mark /> Tonearm
        </h1>
        <p className="lead">The console of the service: its GraphQL API, with examples and documentation.</p>
        {notice && (
          <p className="notice" role="status">
            {notice}
          </p>
        )}
        {way === 'password' ? <PasswordForm /> : <KeyForm />}
        <button type="button" className="link" onClick={() => setWay(way === 'password' ? 'key' : 'password')}>
          {way === 'password' ? 'Use a key instead' : 'Sign in with a password instead'}
        </button>
        <SiteLinks />
      </div>
    </main>
  )
}

function PasswordForm() {
  const { signIn } = useSessionStore()
  const { isBusy, problem, submit } = useSubmit((field) => signIn(field('email'), field('password')))
  const [email, password] = [useId(), useId()]
  return (
    <form onSubmit={submit} aria-label="Sign in">
      <label htmlFor={email}>Email address</label>
      {/* biome-ignore lint/a11y/noAutofocus: the form is all that the page shows */}
      <input id={email} name="email" type="email" autoComplete="username" required autoFocus />
      <label htmlFor={password}>Password</label>
      <input id={password} name="password" type="password" autoComplete="current-password" required />
      <Problem text={problem} />
      <Submit isBusy={isBusy} label="Sign in" />
    </form>
  )
}

function KeyForm() {
  const { useKey: enter } = useSessionStore()
  const { isBusy, problem, submit } = useSubmit((field) => enter(field('key').trim()))
  const key = useId()
  return (
    <form onSubmit={submit} aria-label="Use a key">
      <label htmlFor={key}>Key</label>
      {/* biome-ignore lint/a11y/noAutofocus: a person has just asked for this field */}
      <input id={key} name="key" type="password" autoComplete="off" spellCheck={false} required autoFocus />
      <p className="hint">For example an api key. It is removed when you close this tab.</p>
      <Problem text={problem} />
      <Submit isBusy={isBusy} label="Use this key" />
    </form>
  )
}

/** Submits a form, one request at a time, and stores the error message. */
function useSubmit(send: (field: (name: string) => string) => Promise<void>) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const data = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(null)
    try {
      await send((name) => String(data.get(name) ?? ''))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, problem, submit }
}

function Problem({ text }: { text: string | null }) {
  return (
    <p className="problem" role="alert">
      {text}
    </p>
  )
}

/** Stays focusable while busy: a disabled button would drop the focus. */
function Submit({ isBusy, label }: { isBusy: boolean; label: string }) {
  return (
    <button type="submit" className="primary" aria-disabled={isBusy}>
      {isBusy ? 'One moment…' : label}
    </button>
  )
}

/** A record under a tonearm. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="14" cy="18" r="13" className="disc" />
      <circle cx="14" cy="18" r="9" className="groove" />
      <circle cx="14" cy="18" r="4.5" className="label" />
      <path d="M28 3v13l-7 7" className="arm" />
      <circle cx="28" cy="4" r="3" className="label" />
    </svg>
  )
}
