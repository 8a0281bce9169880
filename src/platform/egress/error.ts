/** Reasons why a guarded request has no answer, or no complete one. */
export const egressFailures = {
  forbidden_address: 'the address is not allowed',
  unresolvable: 'the host name cannot be resolved',
  unreachable: 'no connection to the host',
  tls_failed: 'no secure connection to the host',
  timed_out: 'no complete answer in time',
  broken_answer: 'the connection ended before the answer did, or it is not HTTP',
  too_large: 'the answer is too large',
  too_many_redirects: 'too many redirects',
} as const

export type EgressFailure = keyof typeof egressFailures

/**
 * A failed guarded request. The message contains no more than `code` does, because it is shown to the person who chose
 * the address.
 */
export class EgressError extends Error {
  override name = 'EgressError'
  readonly code: EgressFailure

  /** @param cause for the log only: it may reveal the service's network */
  constructor(code: EgressFailure, cause?: unknown) {
    super(egressFailures[code], { cause })
    this.code = code
  }
}
