import { type FormEvent, useState } from 'react'
import { t } from '../strings.ts'
import { formatError } from './api.ts'

/** Submits a form, one request at a time, and stores the error message. */
export function useSubmit(send: (field: (name: string) => string) => Promise<void>) {
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
      setProblem(formatError(error))
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, problem, submit }
}

export function FormProblem({ text }: { text: string | null }) {
  return (
    <p className="problem" role="alert">
      {text}
    </p>
  )
}

/** Stays focusable while busy: a disabled button would drop the focus. */
export function Submit({ isBusy, label }: { isBusy: boolean; label: string }) {
  return (
    <button type="submit" className="primary" aria-disabled={isBusy}>
      {isBusy ? t('session.busy') : label}
    </button>
  )
}
