import { EgressError } from './error.ts'

/** Ends a request on its timeout, on an error or with the caller's signal. */
export interface EgressDeadline {
  signal: AbortSignal
  fail: (error: unknown) => void
  end: () => void
}

/** @param signal of the caller; its reason is passed on */
export function deadline({ timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal }): EgressDeadline {
  const control = new AbortController()
  const timer = setTimeout(() => control.abort(new EgressError('timed_out')), timeoutMs)
  const pass = () => control.abort(signal?.reason)
  if (signal?.aborted) pass()
  signal?.addEventListener('abort', pass, { once: true })
  return {
    signal: control.signal,
    fail: (error) => control.abort(error),
    end: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', pass)
    },
  }
}

/** Rejects when the signal fires, for work that cannot be canceled. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}
