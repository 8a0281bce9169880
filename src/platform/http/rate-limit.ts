import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Services, Viewer } from '../context.ts'
import { AppError } from '../errors.ts'
import { createAttempts } from './attempts.ts'
import { addressBlock } from './client-address.ts'
import { createFoldedLimit } from './folded-limit.ts'
import { createSharedLimiter } from './shared-limiter.ts'

const WINDOW_SECONDS = 60
/**
 * Requests per minute (operating.md, Environment). The limit of an organization holds for all its keys and administrators,
 * so that the number of its keys does not decide what it leaves to others.
 */
const limits = { key: 6000, organization: 60_000, address: 600 } as const
type Kind = keyof typeof limits
export type RateLimits = ReturnType<typeof createRateLimits>

/**
 * Limits requests per key, and per address without a valid key, over all replicas. The counters are in PostgreSQL.
 * While that is unavailable each process counts for itself.
 */
export function createRateLimits({
  config,
  pool,
  metrics,
  log,
}: Pick<Services, 'config' | 'pool' | 'metrics' | 'log'>) {
  const limiter = (kind: Kind) =>
    createSharedLimiter(pool, {
      keyPrefix: kind,
      points: limits[kind],
      duration: WINDOW_SECONDS,
      inMemoryBlockOnConsumed: limits[kind],
    })
  const foldedLimit = (kind: Kind) =>
    createFoldedLimit(limiter(kind), { log }, { max: limits[kind], windowSeconds: WINDOW_SECONDS })
  const keys = foldedLimit('key')
  const organizations = foldedLimit('organization')
  const addresses = limiter('address')

  const lookUps = createAttempts(limits.address, WINDOW_SECONDS)
  function refusal(kind: Kind, result: RateLimiterRes): AppError {
    metrics.rateLimited.inc({ limit: kind })
    const seconds = Math.ceil(result.msBeforeNext / 1000)
    return new AppError('rate_limited', `Too many requests: ${limits[kind]} per minute are allowed.`, {
      retryAfterSeconds: Math.max(1, seconds),
      headers: toLimitHeaders(kind, result),
    })
  }

  return {
    /**
     * Counts the look-up of a key that may be unknown, before the database is asked. In memory, so that guesses cost the
     * database no more look-ups than the limit of the address, and none after that has been reached.
     * @returns removes the look-up from the count. Called when the key was valid
     * @throws AppError `rate_limited`
     */
    countLookUp(address: string | null): () => void {
      if (!config.isRateLimited) return () => {}
      const id = addressBlock(address)
      const waitMs = lookUps.waitMs(id)
      if (waitMs > 0) throw refusal('address', new RateLimiterRes(0, waitMs))
      return lookUps.count(id)
    },

    /**
     * Counts one request.
     * @param address of the client, used without a viewer. Null if unknown.
     * @returns the rate limit headers of the answer (draft-ietf-httpapi-ratelimit-headers)
     * @throws AppError `rate_limited`
     */
    async count(viewer: Viewer | null, address: string | null): Promise<Record<string, string>> {
      if (!config.isRateLimited) return {}
      if (viewer) {
        const { isAllowed, result } = keys.count(viewer.type === 'key' ? viewer.keyId : viewer.administratorId)
        if (!isAllowed) throw refusal('key', result)
        const ofOrganization = organizations.count(viewer.organizationId)
        if (!ofOrganization.isAllowed) throw refusal('organization', ofOrganization.result)
        return toLimitHeaders('key', result)
      }
      const id = addressBlock(address)
      try {
        const result = await addresses.consume(id)
        if (result.remainingPoints === 0) lookUps.block(id, result.msBeforeNext)
        return toLimitHeaders('address', result)
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        lookUps.block(id, error.msBeforeNext)
        throw refusal('address', error)
      }
    },
  }
}

function toLimitHeaders(kind: Kind, { remainingPoints, msBeforeNext }: RateLimiterRes): Record<string, string> {
  return {
    'ratelimit-policy': `"${kind}";q=${limits[kind]};w=${WINDOW_SECONDS}`,
    ratelimit: `"${kind}";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`,
  }
}
