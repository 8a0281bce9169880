import { createHash } from 'node:crypto'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Context, Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { addressBlock } from '../../../platform/http/client-address.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KNOWN_MS = 30 * DAY * 1000

interface Limit {
  points: number
  duration: number
  block?: number
}

/**
 * `points` failures are allowed in `duration` seconds. A client that exceeds them is refused for `block` seconds, or
 * until the duration ends.
 */
const limits = {
  /** One client and many email addresses. */
  client: { points: 50, duration: HOUR },
  /** One client and one email address: refused for 15 minutes each time, then for a day. */
  pair: { points: 5, duration: 15 * MINUTE, block: 15 * MINUTE },
  pairDay: { points: 20, duration: DAY },
  /** Many clients and one email address. Does not apply to clients from which the administrator signed in recently. */
  email: { points: 100, duration: DAY },
} as const satisfies Record<string, Limit>
type Name = keyof typeof limits

/** A password attempt, which has been counted as a failure. */
export interface Attempt {
  /** Removes the attempt from the counters. Called when the password was correct. */
  succeeded: () => Promise<void>
}

/**
 * Counts a password attempt before the password is verified, so that concurrent attempts cannot exceed the limits. The
 * counters are in PostgreSQL, shared by all replicas, and do not depend on RATE_LIMITS.
 * @param email in lower case; unknown addresses are counted as well
 * @throws AppError `rate_limited`, with the seconds to wait
 */
export async function countAttempt(ctx: Context, email: string): Promise<Attempt> {
  const client = addressBlock(ctx.address)
  const pair = `${digest(email)}.${digest(client)}`
  const isKnown = await isKnownClient(ctx, email)
  const counters: [Name, string][] = [
    ['client', client],
    ['pair', pair],
    ['pairDay', pair],
    ...(isKnown ? [] : [['email', digest(email)] satisfies [Name, string]]),
  ]
  const counted: [Name, string][] = []
  for (const [name, key] of counters) {
    try {
      await limiter(ctx, name).consume(key)
      counted.push([name, key])
    } catch (error) {
      // A refused attempt must not count elsewhere: a blocked client cannot use up the limits of others.
      await uncount(ctx, counted)
      if (!(error instanceof RateLimiterRes)) throw error
      const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      ctx.log.warn({ limit: name, address: ctx.address, retryAfterSeconds }, 'password attempts limited')
      throw new AppError('rate_limited', `Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`, {
        retryAfterSeconds,
      })
    }
  }
  return {
    succeeded: async () => {
      await uncount(ctx, counted)
      await limiter(ctx, 'pair').delete(pair)
    },
  }
}

/** Deletes the counted failures of an email address, from all clients. @param email in lower case */
export async function forgetAttempts({ db }: Pick<Services, 'db'>, email: string): Promise<void> {
  const hash = digest(email)
  const pairs = (name: Name) => ({ key: { startsWith: `${keyPrefix(name)}:${hash}.` } })
  await db.rateLimit.deleteMany({
    where: { OR: [pairs('pair'), pairs('pairDay'), { key: `${keyPrefix('email')}:${hash}` }] },
  })
}

const keyPrefix = (name: Name) => `sign_in_${name}`

async function uncount(ctx: Context, counted: [Name, string][]): Promise<void> {
  await Promise.all(counted.map(([name, key]) => limiter(ctx, name).reward(key)))
}

function limiter({ pool }: Context, name: Name) {
  const { points, duration, block }: Limit = limits[name]
  return new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limit',
    tableCreated: true,
    keyPrefix: keyPrefix(name),
    points,
    duration,
    blockDuration: block ?? 0,
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
