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

/** Failures that are allowed in a span, both in seconds; whoever exceeds them waits for `block`, or for its end. */
const limits = {
  /** One client that tries many addresses. */
  client: { points: 50, duration: HOUR },
  /** One client at one person's door: a quarter of an hour each time, then a day. */
  pair: { points: 5, duration: 15 * MINUTE, block: 15 * MINUTE },
  pairDay: { points: 20, duration: DAY },
  /** Many clients at one person's door. Those from where the person signed in lately still get in. */
  email: { points: 100, duration: DAY },
} as const satisfies Record<string, Limit>
type Name = keyof typeof limits

/** One try of a password that has been counted as a failure. */
export interface Attempt {
  /** Takes the count back: the password was right. */
  succeeded: () => Promise<void>
}

/**
 * Counts a try of a password before it is looked at, so that many at once get no more tries than one after the other.
 * The counters lie in Postgres, for all replicas together, and do not depend on RATE_LIMITS.
 * @param email in lower case, of whoever it may be: unknown addresses are counted alike
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
      // What was not tried counts nowhere else: a client that is blocked cannot use up what others have.
      await takeBack(ctx, counted)
      if (!(error instanceof RateLimiterRes)) throw error
      const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      ctx.log.warn({ limit: name, address: ctx.address, retryAfterSeconds }, 'too many wrong passwords')
      throw new AppError('rate_limited', `Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`, {
        retryAfterSeconds,
      })
    }
  }
  return {
    succeeded: async () => {
      await takeBack(ctx, counted)
      await limiter(ctx, 'pair').delete(pair)
    },
  }
}

/** Forgets the failures counted against an email address, from all clients. The address is in lower case. */
export async function forgetAttempts({ db }: Pick<Services, 'db'>, email: string): Promise<void> {
  const person = digest(email)
  const ofPair = (name: Name) => ({ key: { startsWith: `${keyPrefix(name)}:${person}.` } })
  await db.rateLimit.deleteMany({
    where: { OR: [ofPair('pair'), ofPair('pairDay'), { key: `${keyPrefix('email')}:${person}` }] },
  })
}

const keyPrefix = (name: Name) => `sign_in_${name}`

async function takeBack(ctx: Context, counted: [Name, string][]): Promise<void> {
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
    // Old counters are removed by a task: one of these is made for each attempt.
    clearExpiredByTimeout: false,
  })
}

/** Whether somebody signed in with this address of theirs from there of late. */
async function isKnownClient({ db, address, clock }: Context, email: string): Promise<boolean> {
  if (address === null) return false
  const since = new Date(clock().getTime() - KNOWN_MS)
  const session = await db.signInSession.findFirst({
    where: { address, createdAt: { gte: since }, administrator: { email } },
    select: { id: true },
  })
  return session !== null
}

/** Of fixed length, and the table names nobody. */
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
