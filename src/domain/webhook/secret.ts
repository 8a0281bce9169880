import { randomBytes } from 'node:crypto'
import type { Services } from '../../platform/context.ts'
import { DAY_MS } from '../../platform/time.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
const OLD_SECRET_MS = DAY_MS
/** Each adds a signature to the headers of every delivery. */
const MAX_SECRETS = 10

/** The stored secrets of an endpoint, encrypted, newest first, and the end of each but the first. */
interface StoredSecrets {
  secrets: string[]
  secretsExpireAt: Date[]
}

/** Generates a secret: `secret` is shown once, `sealed` is stored. */
export function newSecret({ signing }: Pick<Services, 'signing'>): { secret: string; sealed: string } {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64')
  return { secret, sealed: signing.seal(secret) }
}

/** Makes a new secret the first. The previous one signs for another 24 hours. */
export function rotated({ secrets, secretsExpireAt }: StoredSecrets, sealed: string, now: Date): StoredSecrets {
  const endTimes = [new Date(now.getTime() + OLD_SECRET_MS), ...secretsExpireAt]
  const old = secrets
    .map((secret, place) => ({ secret, end: endTimes[place] ?? now }))
    .filter(({ end }) => end > now)
    .slice(0, MAX_SECRETS - 1)
  return { secrets: [sealed, ...old.map(({ secret }) => secret)], secretsExpireAt: old.map(({ end }) => end) }
}

/**
 * Returns the secrets that sign a delivery now, newest first.
 * @returns each as `whsec_` and base64
 * @see contract, section 7
 */
export function readWebhookSecrets(
  { signing, clock }: Pick<Services, 'signing' | 'clock'>,
  { secrets, secretsExpireAt }: StoredSecrets,
): string[] {
  const now = clock()
  const valid = secrets.filter((_, place) => place === 0 || (secretsExpireAt[place - 1] ?? now) > now)
  return valid.map((stored) => (stored.startsWith(PREFIX) ? stored : signing.unseal(stored)))
}

/** The end of the last old secret; null without an old secret. */
export function rotationEnd({ secretsExpireAt }: Pick<StoredSecrets, 'secretsExpireAt'>, now: Date): Date | null {
  const last = Math.max(0, ...secretsExpireAt.map((end) => end.getTime()))
  return last > now.getTime() ? new Date(last) : null
}
