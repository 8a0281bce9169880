import { createHash } from 'node:crypto'
import type { Services } from './context.ts'
import { AppError } from './errors.ts'

/** How long an answer is kept, and how long a first request may take before it counts as dead. */
const KEPT_MS = 86_400_000
const LOCK_MS = 60_000
const MAX_KEY_CHARS = 255

export interface StoredAnswer {
  status: number
  body: string
  isReplay: boolean
}

/** Whose keys they are, and what was asked. */
interface Asked {
  organizationId: string
  ownerId: string
  key: string
  /** Method, path and body: the same key with another of these is a mistake. */
  payload: string
}

/**
 * Carries out a request once per Idempotency-Key. Only successes are stored: what failed changed nothing and may
 * be asked again.
 * @throws AppError `idempotency_mismatch` for another payload, `idempotency_conflict` while the first one runs
 * @see contract, section 1
 */
export async function onceOnly(
  services: Services,
  { organizationId, ownerId: keyId, key, payload }: Asked,
  carryOut: () => Promise<{ status: number; body: string }>,
): Promise<StoredAnswer> {
  if (key === '' || key.length > MAX_KEY_CHARS) {
    throw new AppError('invalid_input', `Idempotency-Key: must be 1 to ${MAX_KEY_CHARS} characters long`)
  }
  const fingerprint = createHash('sha256').update(payload).digest('hex')
  const where = { keyId_key: { keyId, key } }
  const now = services.clock()
  const mine = { organizationId, fingerprint, lockedUntil: new Date(now.getTime() + LOCK_MS), createdAt: now }
  const table = services.db.idempotencyKey

  const { count: created } = await table.createMany({ data: [{ ...mine, keyId, key }], skipDuplicates: true })
  if (created === 0) {
    const first = await table.findUnique({ where })
    const isOver = !first || now.getTime() - first.createdAt.getTime() > KEPT_MS
    if (!isOver && first.fingerprint !== fingerprint) {
      throw new AppError('idempotency_mismatch', 'Idempotency-Key: was used with another payload')
    }
    if (!isOver && first.status !== null)
      return { status: first.status, body: services.signing.unseal(first.body ?? ''), isReplay: true }
    // Taking over a dead one is conditional on its lock, so that only one of several does.
    const isDead = isOver || first.lockedUntil <= now
    const { count: taken } = isDead
      ? await table.updateMany({
          where: { keyId, key, lockedUntil: first?.lockedUntil },
          data: { ...mine, status: null, body: null },
        })
      : { count: 0 }
    if (taken === 0) {
      throw new AppError('idempotency_conflict', 'Idempotency-Key: the first request with it is still running', {
        retryAfterSeconds: 1,
      })
    }
  }
  try {
    const answer = await carryOut()
    // Sealed: the answer may hold a key, which is kept nowhere else.
    await table.update({ where, data: { status: answer.status, body: services.signing.seal(answer.body) } })
    return { ...answer, isReplay: false }
  } catch (error) {
    await table.deleteMany({ where: { keyId, key, status: null } })
    throw error
  }
}
