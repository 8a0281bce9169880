import { EgressError, type EgressFailure } from '../../../platform/egress/guarded-request.ts'
import { AppError } from '../../../platform/errors.ts'

/** Why a recording could not be taken from the web. Nothing of its address stands in it. */
export class PullError extends Error {
  override name = 'PullError'
  /** The stable word that the track shows. */
  readonly code: string
  /** Whether it may go better next time. */
  readonly isPassing: boolean
  /** Milliseconds to wait before the next attempt, from the source's Retry-After; null when it has none. */
  retryAfterMs: number | null = null

  /** @param message a sentence for the person who gave the address */
  constructor(code: string, message: string, isPassing = false, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.isPassing = isPassing
  }
}

const failures: Record<EgressFailure, [code: string, message: string, isPassing?: true]> = {
  forbidden_address: [
    'source_forbidden_address',
    'The source, or where it redirects to, is an address that is not allowed.',
  ],
  unresolvable: ['source_unreachable', 'The host of the source could not be found.', true],
  unreachable: ['source_unreachable', 'The source could not be reached.', true],
  tls_failed: ['source_unreachable', 'No secure connection to the source could be made.', true],
  timed_out: ['source_timed_out', 'The source did not send the recording in time.', true],
  broken_answer: ['source_broken_off', 'The source broke off before the recording was whole.', true],
  too_large: ['too_large', 'The recording at the source is too large.'],
  too_many_redirects: ['source_redirected', 'The source redirects too often.'],
}

/** A failure of the source as PullError; any other failure as it is. */
export function asPullError(error: unknown): unknown {
  // The address was valid when the track was created, and SOURCE_ALLOW_PRIVATE has been turned off since.
  const isForbidden = error instanceof AppError && error.code === 'invalid_input'
  const failure = isForbidden ? 'forbidden_address' : error instanceof EgressError ? error.code : null
  if (failure === null) return error
  const [code, message, isPassing] = failures[failure]
  return new PullError(code, message, isPassing, error)
}

/** Answers that say nothing of the next time: asked too early, too often, or while something was broken. */
const isPassingStatus = (status: number) => [408, 425, 429].includes(status) || status >= 500

/** @param retryAfterMs as the source asks for it */
export function refusedBySource(status: number, retryAfterMs: number | null): PullError {
  const message = `The source answered ${status} instead of the recording.`
  const refused = new PullError('source_refused', message, isPassingStatus(status))
  refused.retryAfterMs = retryAfterMs
  return refused
}
