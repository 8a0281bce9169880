/**
 * Reads a `Retry-After` header: seconds or a date (RFC 9110, section 10.2.3).
 * @returns milliseconds from `now`; null for a missing or malformed header
 */
export function readRetryAfter(value: string | undefined, now: Date): number | null {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime())
}
