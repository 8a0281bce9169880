import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Services, Viewer } from '../context.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from './client-address.ts'

const WINDOW_SECONDS = 60
/** Requests a minute (operating.md, Environment). */
const limits = { key: 6000, address: 600 } as const
type Kind = keyof typeof limits

export type RateLimits = ReturnType<typeof createRateLimits>

/**
 * Counts requests per key, and per address where no valid key is shown, over all replicas: the counters lie in
 * Postgres. While that is away each process counts by itself.
 */
export function createRateLimits({ config, pool }: Pick<Services, 'config' | 'pool'>) {
  const limiter = (kind: Kind) =>
    new RateLimiterPostgres({
      storeClient: pool,
      tableName: 'rate_limit',
      tableCreated: true,
      keyPrefix: kind,
      points: limits[kind],
      duration: WINDOW_SECONDS,
      inMemoryBlockOnConsumed: limits[kind],
      insuranceLimiter: new RateLimiterMemory({ points: limits[kind], duration: WINDOW_SECONDS }),
    })
  const limiters = config.isRateLimited ? { key: limiter('key'), address: limiter('address') } : null

  return {
    /**
     * Counts one request.
     * @param address of the client, where it is known; counted by where no viewer is
     * @returns headers that tell where the client stands (draft-ietf-httpapi-ratelimit-headers)
     * @throws AppError `rate_limited`
     */
    async count(viewer: Viewer | null, address: string | null): Promise<Record<string, string>> {
      if (!limiters) return {}
      const kind: Kind = viewer ? 'key' : 'address'
      const id = viewer?.type === 'key' ? viewer.keyId : (viewer?.administratorId ?? addressBlock(address))
      try {
        return headersOf(kind, await limiters[kind].consume(id))
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        const seconds = Math.ceil(error.msBeforeNext / 1000)
        throw new AppError('rate_limited', `Too many requests: ${limits[kind]} a minute are allowed.`, {
          retryAfterSeconds: Math.max(1, seconds),
          headers: headersOf(kind, error),
        })
      }
    },
  }
}

function headersOf(kind: Kind, { remainingPoints, msBeforeNext }: RateLimiterRes): Record<string, string> {
  return {
    'ratelimit-policy': `"${kind}";q=${limits[kind]};w=${WINDOW_SECONDS}`,
    ratelimit: `"${kind}";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`,
  }
}
