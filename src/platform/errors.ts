import { StorageError } from './storage/storage.ts'

/**
 * All error codes and their HTTP status: the table behind REST, GraphQL (`extensions.code`) and the edge. Source:
 * contract, section 1, plus `timeout` and the codes of resumable uploads (tus 1.0, which uses 460 for checksums).
 */
export const statusOf = {
  invalid_input: 400,
  unauthenticated: 401,
  second_factor_required: 401,
  second_factor_invalid: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  creator_in_use: 409,
  index_taken: 409,
  organization_index_taken: 409,
  email_taken: 409,
  last_owner: 409,
  limit_reached: 409,
  signing_secret_in_use: 409,
  speech_recognition_off: 409,
  track_processing: 409,
  transcription_set: 409,
  upload_completed: 409,
  upload_offset_mismatch: 409,
  source_url_given: 409,
  idempotency_conflict: 409,
  expired: 410,
  unsupported_protocol_version: 412,
  too_large: 413,
  unsupported_media_type: 415,
  no_source_file: 422,
  idempotency_mismatch: 422,
  upload_in_use: 423,
  rate_limited: 429,
  checksum_mismatch: 460,
  internal: 500,
  unavailable: 503,
  timeout: 504,
} as const

export type ErrorCode = keyof typeof statusOf

/** A field that violates a rule: its path in camelCase, and the rule as a predicate. */
export interface FieldError {
  field: string
  rule: string
}

interface AppErrorOptions {
  fields?: readonly FieldError[]
  /** Seconds until a retry makes sense, for `Retry-After`. */
  retryAfterSeconds?: number
  /** Additional headers of the answer. */
  headers?: Record<string, string>
  cause?: unknown
}

/** An error that clients may see. The message names the field and the violated rule. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string>

  /** @param message a sentence; empty when `fields` are given */
  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    const fields = options.fields ?? []
    super(message || describeFields(fields, (field) => field), { cause: options.cause })
    this.code = code
    this.fields = fields
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return statusOf[this.code]
  }

  /** Returns the message with field names in the style of the interface. */
  messageFor(nameOf: (field: string) => string): string {
    return this.fields.length > 0 ? describeFields(this.fields, nameOf) : this.message
  }
}

function describeFields(fields: readonly FieldError[], nameOf: (field: string) => string): string {
  return fields.map(({ field, rule }) => `${isHeader(field) ? field : nameOf(field)}: ${rule}`).join('; ')
}

/** Such as `Upload-Length`, in every interface. */
const isHeader = (field: string) => /^[A-Z]/.test(field)

export const invalidInput = (field: string, rule: string) =>
  new AppError('invalid_input', '', { fields: [{ field, rule }] })

/** Error for unknown, deleted and foreign records alike. `field` is the argument that named the record. */
export const notFound = (field: string) =>
  new AppError('not_found', '', { fields: [{ field, rule: 'no such record' }] })

/**
 * Converts any thrown value to the error that a client receives: an AppError unchanged, a failure of storage or
 * database or a deadlock as `unavailable`, a statement that the database canceled or a transaction that took too long as
 * `timeout`, anything else as `internal` without its cause.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof StorageError) {
    return new AppError('unavailable', 'The service cannot use its storage at the moment. Try again shortly.', {
      retryAfterSeconds: 5,
      cause: error,
    })
  }
  if (isStatementCanceled(error) || isTransactionExpired(error)) {
    return new AppError('timeout', 'The service took too long to answer.', { cause: error })
  }
  if (isConflictOfTransactions(error)) {
    return new AppError('unavailable', 'Another change was made at the same moment. Try again shortly.', {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
  if (isDatabaseUnavailable(error)) {
    return new AppError('unavailable', 'The service cannot reach its database. Try again shortly.', {
      retryAfterSeconds: 5,
      cause: error,
    })
  }
  return new AppError('internal', 'Something went wrong on our side.', { cause: error })
}

/**
 * Prisma's codes for an unreachable, closed or exhausted server, the network's, and PostgreSQL's: 08 (connection), 53
 * (resources of the server), 57P (shutdown, start, ended session), 25006 (a primary that became a standby).
 */
const unavailableCodes = new RegExp(
  `^(${[
    'P1001',
    'P1002',
    'P1008',
    'P1017',
    'P2024',
    'P2028',
    'P2037',
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EPIPE',
    'ETIMEDOUT',
    '08\\w{3}',
    '53\\w{3}',
    '57P0\\d',
    '25006',
  ].join('|')})$`,
)
/** Kinds of errors of Prisma's driver adapters. */
const unavailableKinds = /^(ConnectionClosed|DatabaseNotReachable|SocketTimeout|TooManyConnections)$/
/** Errors of the driver without a code. */
const unavailableMessages = new RegExp(
  [
    "Can't reach database",
    'connection terminated',
    'connection error and is not queryable',
    'closed and is not queryable',
    'closed the connection',
    'timeout exceeded when trying to connect',
    'query read timeout',
    'connection ended',
    'pool after calling end',
  ].join('|'),
  'i',
)

function isDatabaseUnavailable(error: unknown): boolean {
  return isCausedBy(
    error,
    ({ code, kind, message }) =>
      unavailableCodes.test(code) || unavailableKinds.test(kind) || unavailableMessages.test(message),
  )
}

/** PostgreSQL's 57014: a statement that timed out or was canceled. */
function isStatementCanceled(error: unknown): boolean {
  return isCausedBy(error, ({ code }) => code === '57014')
}

/** Prisma's P2028 for a transaction that exceeded its time limit. It has the same code for one that could not begin. */
function isTransactionExpired(error: unknown): boolean {
  return isCausedBy(error, ({ code, message }) => code === 'P2028' && /expired transaction/.test(message))
}

/** PostgreSQL's 40P01 and 40001, and Prisma's code for both: the transaction was rolled back whole. */
function isConflictOfTransactions(error: unknown): boolean {
  return isCausedBy(error, ({ code }) => /^(40P01|40001|P2034)$/.test(code))
}

interface Failure {
  code: string
  kind: string
  message: string
}

/** Whether an error is of a request to another host than the database: `fetch` names its address. */
const isOfOtherHost = (error: object): boolean =>
  (error as Error).name === 'EgressError' || /^https?:/.test(String((error as { path?: unknown }).path ?? ''))

/** Searches an error and its causes, through Prisma's wrappers, for a database failure. */
function isCausedBy(error: unknown, is: (failure: Failure) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4 || isOfOtherHost(error)) return false
  const { code, originalCode, kind, message, cause, meta } = error as Record<string, unknown>
  const failure = { code: String(originalCode ?? code ?? ''), kind: String(kind ?? ''), message: String(message ?? '') }
  const driverError = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError
  return is(failure) || isCausedBy(cause, is, depth + 1) || isCausedBy(driverError, is, depth + 1)
}

/** Returns whether a database error names a constraint or index. */
export function violates(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const { cause, meta } = error as { cause?: unknown; meta?: unknown }
  return `${error.message} ${JSON.stringify(cause ?? null)} ${JSON.stringify(meta ?? null)}`.includes(constraint)
}
