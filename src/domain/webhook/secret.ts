import { randomBytes } from 'node:crypto'
import type { Services } from '../../platform/context.ts'
import { DAY_MS } from '../../platform/time.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
const OLD_SECRET_MS = DAY_MS
/** Each is a signature in the headers of every delivery. */
const MAX_SECRETS = 10

/** An endpoint's secrets as they are kept: encrypted, the newest first, and when each but the first ends. */
export interface KeptSecrets {
  secrets: string[]
  secretsExpireAt: Date[]
}

/** A new secret, as the endpoint's owner is shown it once, and as it is kept. */
export function newSecret({ signing }: Pick<Services, 'signing'>): { secret: string; sealed: string } {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64')
  return { secret, sealed: signing.seal(secret) }
}

/** Puts a new secret in front. The one before signs for another 24 hours, beside those that were ending already. */
export function rotated({ secrets, secretsExpireAt }: KeptSecrets, sealed: string, now: Date): KeptSecrets {
  const ends = [new Date(now.getTime() + OLD_SECRET_MS), ...secretsExpireAt]
  const old = secrets
    .map((secret, place) => ({ secret, end: ends[place] ?? now }))
    .filter(({ end }) => end > now)
    .slice(0, MAX_SECRETS - 1)
  return { secrets: [sealed, ...old.map(({ secret }) => secret)], secretsExpireAt: old.map(({ end }) => end) }
}

/**
 * The secrets that sign a delivery now, the newest first.
 * @returns each as `whsec_` and base64
 * @see contract, section 7
 */
export function signingSecretsOf(
  { signing, clock }: Pick<Services, 'signing' | 'clock'>,
  { secrets, secretsExpireAt }: KeptSecrets,
): string[] {
  const now = clock()
  const valid = secrets.filter((_, place) => place === 0 || (secretsExpireAt[place - 1] ?? now) > now)
  return valid.map((kept) => (kept.startsWith(PREFIX) ? kept : signing.unseal(kept)))
}

/** When the last of the old secrets ends; null while the newest signs alone. */
export function rotationEnd({ secretsExpireAt }: Pick<KeptSecrets, 'secretsExpireAt'>, now: Date): Date | null {
  const last = Math.max(0, ...secretsExpireAt.map((end) => end.getTime()))
  return last > now.getTime() ? new Date(last) : null
}
