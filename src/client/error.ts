/**
 * A refusal by the service, with its stable code (guide "Status codes").
 * @example
 * ```ts
 * const onRefusal = (error: unknown) => {
 *   if (error instanceof TonearmError && error.code === 'rate_limited') console.log(error.requestId)
 * }
 * ```
 */
export class TonearmError extends Error {
  override readonly name = 'TonearmError'
  constructor(
    /** HTTP status. */
    readonly status: number,
    /** Stable word, such as `invalid_input`. */
    readonly code: string,
    message: string,
    /** Finds the request in the log of the service. Null where the answer has none. */
    readonly requestId: string | null,
  ) {
    super(message)
  }
}

interface Envelope {
  code?: string
  message?: string
  api_request_id?: string
}

/**
 * Makes an error from an answer.
 * @param body its JSON. An answer that is not from the service, such as that of a bucket, has other text: it becomes the message
 */
export function toTonearmError(status: number, body: unknown): TonearmError {
  const errorBody: Envelope = typeof body === 'object' && body !== null ? body : {}
  const message = errorBody.message ?? (typeof body === 'string' && body.trim() ? body.trim() : `HTTP status ${status}`)
  return new TonearmError(status, errorBody.code ?? 'unknown', message, errorBody.api_request_id ?? null)
}

/** Parses JSON. Returns other text as it is. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
