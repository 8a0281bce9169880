/** Why a guarded request has no answer, or not all of it. */
export const egressFailures = {
  forbidden_address: 'the address is not allowed',
  unresolvable: 'the host name cannot be resolved',
  unreachable: 'no connection to the host',
  tls_failed: 'no secure connection to the host',
  timed_out: 'no whole answer in time',
  broken_answer: 'the connection ended before the answer did, or it is not HTTP',
  too_large: 'the answer is too large',
  too_many_redirects: 'too many redirects',
} as const

export type EgressFailure = keyof typeof egressFailures

/** A guarded request that failed. The message says no more than `code` does: it may be shown to whoever chose the address. */
export class EgressError extends Error {
  override name = 'EgressError'
  readonly code: EgressFailure

  /** @param cause for the log alone: it may tell of the network that the service runs in */
  constructor(code: EgressFailure, cause?: unknown) {
    super(egressFailures[code], { cause })
    this.code = code
  }
}
