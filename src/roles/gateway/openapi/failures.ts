import { type ErrorCode, statusOf } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/rest.ts'

/** How each code comes about, as clients read it. Source: contract, section 1. */
const meanings: Record<ErrorCode, string> = {
  invalid_input: 'A rule was broken; the message names the field.',
  unauthenticated: 'The key is missing, malformed, unknown, revoked or expired.',
  forbidden: 'The key is valid; its kind or scope does not allow this.',
  not_found: 'There is no such record, or it is not yours.',
  method_not_allowed: 'The path has no such method.',
  creator_in_use: 'The creator still has collections or tracks.',
  index_taken: 'Another variant has the index.',
  organization_index_taken: 'Another creator has the index.',
  email_taken: 'Somebody else signs in with the address.',
  last_owner: 'An organization needs an owner.',
  limit_reached: 'There are as many as there may be.',
  signing_secret_in_use: 'Addresses that it signed may still be in use.',
  track_processing: 'The track is being processed.',
  upload_completed: 'The address was used already.',
  upload_offset_mismatch: 'The piece does not begin where the last one ended.',
  source_url_given: 'The recording of the track is taken from its source_url.',
  unsupported_protocol_version: 'The service speaks another version of the protocol.',
  upload_in_use: 'Another request is sending to the address.',
  checksum_mismatch: 'The bytes that arrived are others than were sent.',
  idempotency_conflict: 'The first request with this Idempotency-Key is still running.',
  expired: 'Its end has passed.',
  too_large: 'The body is larger than may be.',
  unsupported_media_type: 'The body is not sent as application/json.',
  no_source_file: 'The track has no recording to work with.',
  idempotency_mismatch: 'The Idempotency-Key was used with another payload.',
  rate_limited: 'Too many requests in a minute.',
  internal: 'A mistake of the service.',
  unavailable: 'The service cannot reach its database.',
  timeout: 'The service took too long.',
}

const anywhere = ['invalid_input', 'rate_limited', 'internal', 'unavailable', 'timeout'] as const

/** Every code that a route may answer with, by status. */
export function failuresOf(route: Pick<Route, 'method' | 'auth' | 'params' | 'fails'>): Map<number, ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...anywhere,
    ...(route.auth === 'key' ? (['unauthenticated', 'forbidden'] as const) : []),
    ...(route.params ? (['not_found'] as const) : []),
    ...(route.method === 'GET' ? [] : (['too_large', 'unsupported_media_type'] as const)),
    ...(takesIdempotencyKey(route) ? (['idempotency_conflict', 'idempotency_mismatch'] as const) : []),
    ...(route.fails ?? []),
  ])
  return byStatus(codes)
}

/** Whether an Idempotency-Key counts. */
export const takesIdempotencyKey = ({ method, auth }: Pick<Route, 'method' | 'auth'>) =>
  method === 'POST' && auth === 'key'

export function byStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const found = Map.groupBy(codes, (code) => statusOf[code])
  return new Map([...found].sort(([a], [b]) => a - b))
}

export const inWords = (codes: readonly ErrorCode[]) =>
  codes.length === 1
    ? meanings[codes[0] as ErrorCode]
    : codes.map((code) => `\`${code}\`: ${meanings[code]}`).join('\n')
