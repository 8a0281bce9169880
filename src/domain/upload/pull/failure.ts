import { EgressError, type EgressFailure } from '../../../platform/egress/guarded-request.ts'
import { AppError } from '../../../platform/errors.ts'

/** The reason why a recording could not be fetched. Its text does not contain the address. */
export class PullError extends Error {
  override name = 'PullError'
  /** The status code of the track. */
  readonly code: string
  /** Whether a later attempt may succeed. */
  readonly isTemporary: boolean
  /** Milliseconds to wait before the next attempt, from the source's Retry-After; null when it has none. */
  retryAfterMs: number | null = null

  /** @param message a sentence for the client that gave the address */
  constructor(code: string, message: string, isTemporary = false, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.isTemporary = isTemporary
  }
}

const failures: Record<EgressFailure, [code: string, message: string, isTemporary?: true]> = {
  forbidden_address: [
    'source_forbidden_address',
    'The source, or where it redirects to, is an address that is not allowed.',
  ],
  unresolvable: ['source_unreachable', 'The host of the source could not be found.', true],
  unreachable: ['source_unreachable', 'The source could not be reached.', true],
  tls_failed: ['source_unreachable', 'A secure connection to the source could not be established.', true],
  timed_out: ['source_timed_out', 'The source did not send the recording in time.', true],
  broken_answer: ['source_broken_off', 'The connection to the source ended before the recording was complete.', true],
  too_large: ['too_large', 'The recording at the source is too large.'],
  too_many_redirects: ['source_redirected', 'The source redirects too often.'],
}

/** Converts a failure of the source to a PullError; returns any other error unchanged. */
export function toPullError(error: unknown): unknown {
  // The address was valid when the track was created, and SOURCE_ALLOW_PRIVATE has been turned off since.
  const isForbidden = error instanceof AppError && error.code === 'invalid_input'
  const failure = isForbidden ? 'forbidden_address' : error instanceof EgressError ? error.code : null
  if (failure === null) return error
  const [code, message, isTemporary] = failures[failure]
  return new PullError(code, message, isTemporary, error)
}

/** Statuses after which a later attempt may succeed. */
const isTemporaryStatus = (status: number) => [408, 425, 429].includes(status) || status >= 500

/** @param retryAfterMs from the Retry-After of the source */
export function refusedBySource(status: number, retryAfterMs: number | null): PullError {
  const message = `The source answered ${status} instead of the recording.`
  const error = new PullError('source_refused', message, isTemporaryStatus(status))
  error.retryAfterMs = retryAfterMs
  return error
}
