import { isSameText } from '../../platform/identity/signing.ts'

/** Lifetime of a delivery address, in seconds (specification, section 4, inline share stream). */
export const DELIVERY_SECONDS = 3600
/** Query of a delivery address whose file is to be saved; part of the signed text. */
export const DOWNLOAD_QUERY = '?download=1'
/** Maximum clock skew of a timestamp in the future, in seconds (contract, section 6). */
const CLOCK_SKEW_SECONDS = 30

/** `forged` includes a timestamp too far in the future. */
export type DeliveryVerdict = 'valid' | 'expired' | 'forged'

/**
 * Returns the value of `?verify=`: `<issued>-<mac>`, mac = base64url of HMAC-SHA256(secret, path + issued).
 * @param path with its leading slash, exactly as in the address, including a query before `verify`
 * @param issued unix seconds
 * @see contract, section 6 (the timed-HMAC form that a CDN's edge rule can check)
 */
export function signDelivery(secret: string, path: string, issued: number): string {
  // Half the time of node:crypto.
  return `${issued}-${new Bun.CryptoHasher('sha256', secret).update(`${path}${issued}`).digest('base64url')}`
}

/** Format of a `verify` token: the issued second and the MAC. */
const TOKEN = /^(\d{1,12})-[A-Za-z0-9_-]{43}$/

/**
 * Checks the format and age of a `verify` token without a secret: `valid` means that only the MAC remains to be
 * checked.
 * @param now unix seconds
 */
export function checkTokenAge(token: string, now: number): DeliveryVerdict {
  const issued = Number(TOKEN.exec(token)?.[1] ?? Number.NaN)
  if (Number.isNaN(issued) || issued > now + CLOCK_SKEW_SECONDS) return 'forged'
  return now - issued > DELIVERY_SECONDS ? 'expired' : 'valid'
}

/**
 * Checks a `verify` token against all current secrets, in constant time.
 * @param now unix seconds
 */
export function verifyDelivery(secrets: readonly string[], path: string, token: string, now: number): DeliveryVerdict {
  const issued = Number(TOKEN.exec(token)?.[1] ?? 0)
  let isKnown = false
  for (const secret of secrets) isKnown = isSameText(signDelivery(secret, path, issued), token) || isKnown
  return isKnown ? checkTokenAge(token, now) : 'forged'
}
