import { createHash } from 'node:crypto'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Context, Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { addressBlock } from '../../platform/http/client-address.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KNOWN_MS = 30 * DAY * 1000

/** `points` failures are allowed in `duration` seconds; then refused until the duration ends. */
const limits = {
  /** One client and many email addresses: high, because an office or a proxy is one client. */
  client: { points: 1000, duration: HOUR },
  /** Many clients and one email address. Does not apply to clients from which the administrator signed in recently. */
  email: { points: 100, duration: DAY },
  /** One client and one email address: counts the failures of a day. They lead to pauses, never to a refusal. */
  pair: { points: Number.MAX_SAFE_INTEGER, duration: DAY },
  /** One attempt for each pause of a pair. */
  pause: { points: 1, duration: HOUR },
} as const satisfies Record<string, { points: number; duration: number }>
type Name = keyof typeof limits

/** Failures of a pair without a pause. */
const FREE_FAILURES = 5

/** Pause in seconds after the nth failure of a pair: none, then from one minute, doubling, to one hour. */
export const pauseAfter = (failures: number) =>
  failures < FREE_FAILURES ? 0 : Math.min(HOUR, MINUTE * 2 ** (failures - FREE_FAILURES))

/** A time to wait as text, rounded up. */
export function describeWait(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE)
  if (minutes <= 1) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  return minutes <= 60 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}

/** A password attempt, which has been counted as a failure. */
export interface Attempt {
  /** Removes the attempt from the counters. Called when the password was correct. */
  succeeded: () => Promise<void>
  /**
   * Removes the attempt, and no earlier one. Called when the password was correct and a code is missing: a client that has
   * the password cannot reset the counter between guesses of a code.
   */
  undo: () => Promise<void>
}

/**
 * Counts a password attempt before the password is verified, so that concurrent attempts cannot exceed the limits. The
 * counters are in PostgreSQL, shared by all replicas, and do not depend on RATE_LIMITS.
 * @param email in lower case; unknown addresses are counted as well. Any other name of what the password opens
 * @param options `isShared`: whether many people have the password, so that the failures of some must not refuse the others
 * @throws AppError `rate_limited`, with the seconds to wait
 */
export async function countAttempt(ctx: Context, email: string, { isShared = false } = {}): Promise<Attempt> {
  const client = addressBlock(ctx.address)
  const pair = `${digest(email)}.${digest(client)}`
  const counted: [Name, string][] = []
  const count = async (name: Name, key: string, customDuration?: number): Promise<number> => {
    try {
      const { consumedPoints } = await limiter(ctx, name).consume(key, 1, customDuration ? { customDuration } : {})
      counted.push([name, key])
      return consumedPoints
    } catch (error) {
      // A refused attempt must not count elsewhere: a blocked client cannot use up the limits of others.
      await uncount(ctx, counted)
      if (!(error instanceof RateLimiterRes)) throw error
      const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      ctx.metrics.signInFailures.inc({ reason: 'limited' })
      ctx.log.warn({ limit: name, address: ctx.address, retryAfterSeconds }, 'password attempts limited')
      throw new AppError('rate_limited', `Too many failed attempts. Try again in ${describeWait(retryAfterSeconds)}.`, {
        retryAfterSeconds,
      })
    }
  }
  await count('client', client)
  if (!isShared && !(await isKnownClient(ctx, email))) await count('email', digest(email))
  const pause = pauseAfter(await count('pair', pair))
  if (pause > 0) await count('pause', pair, pause)
  return {
    undo: () => uncount(ctx, counted),
    succeeded: async () => {
      await uncount(ctx, counted)
      await Promise.all([limiter(ctx, 'pair').delete(pair), limiter(ctx, 'pause').delete(pair)])
    },
  }
}

/** Deletes the counted failures of an email address, from all clients. @param email in lower case */
export async function forgetAttempts({ db }: Pick<Services, 'db'>, email: string): Promise<void> {
  const hash = digest(email)
  const pairs = (name: Name) => ({ key: { startsWith: `${keyPrefix(name)}:${hash}.` } })
  await db.rateLimit.deleteMany({
    where: { OR: [pairs('pair'), pairs('pause'), { key: `${keyPrefix('email')}:${hash}` }] },
  })
}

const keyPrefix = (name: Name) => `sign_in_${name}`

async function uncount(ctx: Context, counted: [Name, string][]): Promise<void> {
  await Promise.all(counted.map(([name, key]) => limiter(ctx, name).reward(key)))
}

function limiter({ pool }: Context, name: Name) {
  return new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limit',
    tableCreated: true,
    keyPrefix: keyPrefix(name),
    ...limits[name],
    // Expired counters are deleted by a task, because a limiter is created for each attempt.
    clearExpiredByTimeout: false,
  })
}

/** Whether this administrator signed in from this client address in the last 30 days. */
async function isKnownClient({ db, address, clock }: Context, email: string): Promise<boolean> {
  if (address === null) return false
  const since = new Date(clock().getTime() - KNOWN_MS)
  const session = await db.signInSession.findFirst({
    where: { address, createdAt: { gte: since }, administrator: { email } },
    select: { id: true },
  })
  return session !== null
}

/** Fixed length, and keeps email addresses out of the table. */
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
