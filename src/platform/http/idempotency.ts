import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { IDEMPOTENCY_SEED } from '../db/locks.ts'
import { createTransactionReader } from '../db/query/transaction-reader.ts'
import { AppError } from '../errors.ts'
import { DAY_MS } from '../time.ts'

const KEPT_MS = DAY_MS
const MAX_KEY_CHARS = 255

/**
 * Timeouts after which PostgreSQL ends the transaction of a dead process: a running statement, plus the idle time after
 * it. Together they are below the 60 s of contract section 1.
 */
const STATEMENT_TIMEOUT_MS = 15_000
const IDLE_TIMEOUT_MS = 30_000

interface IdempotentRequest {
  organizationId: string
  /** The API key or the administrator that sent the request. */
  ownerId: string
  key: string
  /** Path and body. */
  payload: string
}

export interface IdempotentAnswer {
  body: string
  /** Request id of the executed request. */
  requestId: string
  isReplay: boolean
}

/**
 * Runs an operation at most once per Idempotency-Key.
 * The operation and the row that stores its answer share one transaction, so both are committed or neither is, whenever
 * the process dies. An advisory lock of the same transaction excludes a concurrent execution; PostgreSQL releases it
 * with the transaction. An operation that throws is rolled back and stores nothing: the key can be used again.
 * @param operation reads and writes only by `db`, `reader` and `lists` of its context, never by `pool`, and has no side effects
 * outside the database
 * @throws AppError `idempotency_mismatch` for another payload, `idempotency_conflict` while the first request runs
 * @see contract, section 1
 */
export async function withIdempotency(
  ctx: Context,
  { organizationId, ownerId: keyId, key, payload }: IdempotentRequest,
  operation: (ctx: Context) => Promise<string>,
): Promise<IdempotentAnswer> {
  if (key === '' || key.length > MAX_KEY_CHARS) {
    throw new AppError('invalid_input', `Idempotency-Key: must be 1 to ${MAX_KEY_CHARS} characters long`)
  }
  const fingerprint = createHash('sha256').update(payload).digest('hex')
  const createdAt = ctx.clock()
  const keptSince = new Date(createdAt.getTime() - KEPT_MS)
  return ctx.db.$transaction(async (tx) => {
    const lock = await tryLock(tx, `${keyId}/${key}`, fingerprint)
    // A separate statement, because it must see what the previous owner of the lock committed.
    const stored = await tx.idempotencyKey.findUnique({
      where: { keyId_key: { keyId, key }, createdAt: { gte: keptSince } },
    })
    if (stored ? stored.fingerprint !== fingerprint : lock === 'other_payload') {
      throw new AppError('idempotency_mismatch', 'Idempotency-Key: was used with another payload')
    }
    if (stored) return { body: ctx.signing.unseal(stored.body), requestId: stored.requestId, isReplay: true }
    if (lock === 'same_payload') {
      throw new AppError('idempotency_conflict', 'Idempotency-Key: the first request with it is still running', {
        retryAfterSeconds: 1,
      })
    }
    const reader = createTransactionReader(tx)
    const body = await operation({ ...ctx, db: tx, reader, lists: reader })
    const { requestId } = ctx
    // Replaces a row that is no longer valid.
    await tx.$executeRaw`
      INSERT INTO idempotency_key (organization_id, key_id, key, fingerprint, request_id, body, created_at)
      VALUES (${organizationId}::uuid, ${keyId}::uuid, ${key}, ${fingerprint}, ${requestId}::uuid,
        ${ctx.signing.seal(body)}, ${createdAt})
      ON CONFLICT (key_id, key) DO UPDATE SET organization_id = excluded.organization_id,
        fingerprint = excluded.fingerprint, request_id = excluded.request_id, body = excluded.body,
        created_at = excluded.created_at`
    return { body, requestId, isReplay: false }
  })
}

/**
 * Tries to lock a key until the transaction ends, without waiting.
 * @returns null if locked, else how the payload of the lock's owner compares
 */
async function tryLock(
  tx: Transaction,
  key: string,
  fingerprint: string,
): Promise<'same_payload' | 'other_payload' | null> {
  // The payload is locked first: a request that gets this lock but not the key's has another payload.
  const [row] = await tx.$queryRaw<[{ lock: 'same_payload' | 'other_payload' | null }]>`
    SELECT
      set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true),
      set_config('idle_in_transaction_session_timeout', ${String(IDLE_TIMEOUT_MS)}, true),
      CASE
        WHEN NOT pg_try_advisory_xact_lock(hashtextextended(${`${key}/${fingerprint}`}, ${IDEMPOTENCY_SEED})) THEN 'same_payload'
        WHEN NOT pg_try_advisory_xact_lock(hashtextextended(${key}, ${IDEMPOTENCY_SEED})) THEN 'other_payload'
      END AS lock`
  return row.lock
}
