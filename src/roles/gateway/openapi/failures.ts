import { type ErrorCode, statusOf } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/rest.ts'

/** Cause of each code, for clients. Source: contract, section 1. */
const meanings: Record<ErrorCode, string> = {
  invalid_input: 'A field violates a rule. The message names the field.',
  unauthenticated: 'The key is missing, malformed, unknown, revoked or expired.',
  second_factor_required: 'The password is right, and the administrator has a second factor: send a code, too.',
  second_factor_invalid: 'The code of the second factor is wrong, expired or was used.',
  forbidden: 'The key is valid, but its kind or scope does not allow the operation.',
  not_found: 'The record does not exist, or belongs to another organization.',
  method_not_allowed: 'The path does not support the method.',
  creator_in_use: 'The creator still has collections or tracks.',
  index_taken: 'Another variant has this index.',
  organization_index_taken: 'Another creator has this index.',
  email_taken: 'Another administrator has this email address.',
  last_owner: 'The last owner of an organization cannot be removed.',
  limit_reached: 'The maximum number is reached.',
  signing_secret_in_use: 'Addresses signed with the secret may still be valid.',
  speech_recognition_off: 'The service has no speech recognition.',
  track_processing: 'The track is being processed.',
  transcription_set: 'The track has a transcription that a client has set.',
  upload_completed: 'The upload has already been completed.',
  upload_offset_mismatch: 'The piece does not start at the end of the previous one.',
  source_url_given: 'The recording of the track is downloaded from its source_url.',
  unsupported_protocol_version: 'The service supports another version of the protocol.',
  upload_in_use: 'Another request is uploading to the address.',
  checksum_mismatch: 'The received bytes do not match the checksum.',
  idempotency_conflict: 'The first request with this Idempotency-Key is still running.',
  expired: 'The address or session has expired.',
  too_large: 'The body is too large.',
  unsupported_media_type: 'The body is not application/json.',
  no_source_file: 'The track has no recording.',
  idempotency_mismatch: 'The Idempotency-Key was used with another payload.',
  rate_limited: 'Too many requests per minute.',
  internal: 'An error of the service.',
  unavailable: 'The service cannot reach its database or storage.',
  timeout: 'The service took too long.',
}

const anywhere = ['invalid_input', 'rate_limited', 'internal', 'unavailable', 'timeout'] as const

/** Returns every code that a route may answer with, by status. */
export function listFailures(route: Pick<Route, 'method' | 'auth' | 'params' | 'fails'>): Map<number, ErrorCode[]> {
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

/** Whether the route supports an Idempotency-Key. */
export const takesIdempotencyKey = ({ method, auth }: Pick<Route, 'method' | 'auth'>) =>
  method === 'POST' && auth === 'key'

export function byStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const codesByStatus = Map.groupBy(codes, (code) => statusOf[code])
  return new Map([...codesByStatus].sort(([a], [b]) => a - b))
}

export const inWords = (codes: readonly ErrorCode[]) =>
  codes.length === 1
    ? meanings[codes[0] as ErrorCode]
    : codes.map((code) => `\`${code}\`: ${meanings[code]}`).join('\n')
