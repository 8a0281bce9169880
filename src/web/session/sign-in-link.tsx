import { useEffect, useRef, useState } from 'react'
import { t } from '../strings.ts'
import { ApiError, formatError } from './api.ts'
import { FormProblem, Submit, useSubmit } from './form.tsx'
import { CodeForm } from './sign-in.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { useSession, useSessionStore } from './use-session.ts'

type Step = 'question' | 'waiting' | 'code' | 'ended'

/**
 * The page of a sign-in link, whose token is in the fragment of its address. Signs in at once, unless a person is signed in
 * already.
 * @param onDone called when the person is signed in
 */
export function SignInByLink({ onDone }: { onDone: () => void }) {
  const store = useSessionStore()
  const { session } = useSession()
  const [token] = useState(() => location.hash.slice(1))
  const [name] = useState(session?.name)
  const [step, setStep] = useState<Step>(session ? 'question' : 'waiting')
  const [problem, setProblem] = useState<string | null>(null)
  const isBegun = useRef(false)

  async function enter(code?: string): Promise<void> {
    try {
      await store.signInByLink(token, code)
      onDone()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'second_factor_required') setStep('code')
      else if (error.code === 'expired') setStep('ended')
      else throw error
    }
  }

  // The link works once: an effect that runs again must not use it again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: at the first display only
  useEffect(() => {
    if (step !== 'waiting' || isBegun.current) return
    isBegun.current = true
    enter().catch((error: unknown) => setProblem(formatError(error)))
  }, [])

  const studio = location.pathname.replace(/\/[^/]*$/, '')
  return (
    <SignInCard>
      {step === 'question' && <Question name={name ?? ''} enter={() => enter()} studio={studio} />}
      {step === 'waiting' && (
        <p className="lead" role="status">
          {problem ?? t('session.busy')}
        </p>
      )}
      {step === 'code' && <CodeForm enter={enter} />}
      {step === 'ended' && (
        <p className="notice" role="status">
          {t('session.linkEnded')}
        </p>
      )}
      {(step === 'ended' || problem !== null) && (
        <a className="link" href={studio}>
          {t('session.signIn')}
        </a>
      )}
    </SignInCard>
  )
}

/** Asks before the session of this browser is replaced. */
function Question({ name, enter, studio }: { name: string; enter: () => Promise<void>; studio: string }) {
  const { isBusy, problem, submit } = useSubmit(enter)
  return (
    <>
      <p className="lead">{t('session.linkOther', { name })}</p>
      <form onSubmit={submit} aria-label={t('session.useLink')}>
        <FormProblem text={problem} />
        <Submit isBusy={isBusy} label={t('session.useLink')} />
      </form>
      <a className="link" href={studio}>
        {t('session.stay', { name })}
      </a>
    </>
  )
}
