import { createHash } from 'node:crypto'
import type { Services } from '../../platform/context.ts'
import { DAY_MS } from '../../platform/time.ts'

/** Time in which a client that has given the password of a link need not give it again. */
export const PASS_MS = 30 * DAY_MS
/** Of the hash of the key, in the name of a cookie. A browser has one for each link. */
const NAME_DIGITS = 16
/** Of the name of a password, as `ledger.admit_plays` has it. */
const PASSWORD_DIGITS = 8

const cookieName = (keyHash: string) => `tonearm-link-${keyHash.slice(0, NAME_DIGITS)}`

/** Names a password, so that a pass ends with it. The stored hash has a random salt. */
export const namePassword = (passwordHash: string): string =>
  createHash('md5').update(passwordHash).digest('hex').slice(0, PASSWORD_DIGITS)

/** A cookie that shows that its client has given the password of a share key. */
export function createSharePass(
  { signing }: Pick<Services, 'signing'>,
  keyHash: string,
  passwordHash: string,
  now: Date,
): { name: string; value: string } {
  const [password, expiresMs] = [namePassword(passwordHash), now.getTime() + PASS_MS]
  const pass = signing.sharePass(keyHash, password, expiresMs)
  return { name: cookieName(keyHash), value: `${expiresMs}.${password}.${pass}` }
}

/** Returns the name of the password that a client has given for a share key, by its Cookie header. Null without a valid pass. */
export function readSharePass(
  { signing }: Pick<Services, 'signing'>,
  cookies: string | null,
  keyHash: string,
  now: Date,
): string | null {
  const value = cookies && new Bun.CookieMap(cookies).get(cookieName(keyHash))
  const [, expires = '', password = '', pass = ''] = (value && /^(\d{1,15})\.(\w{8})\.([\w-]{43})$/.exec(value)) || []
  const expiresMs = Number(expires)
  const isValid = expiresMs > now.getTime() && signing.isSharePass(keyHash, password, expiresMs, pass)
  return isValid ? password : null
}
