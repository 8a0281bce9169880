import type { Pool, PoolClient } from 'pg'
import type { Metrics } from '../metrics.ts'

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void

/** Measures the time until the pool provides a connection, for single statements and transactions. */
export function observePool(pool: Pool, metrics: Pick<Metrics, 'acquireSeconds' | 'acquireErrors'>): void {
  const { acquireSeconds, acquireErrors } = metrics
  const connect = pool.connect.bind(pool) as (callback?: Connected) => Promise<PoolClient> | undefined
  const observed = (callback?: Connected) => {
    const began = performance.now()
    const end = (error?: unknown) => {
      if (error) acquireErrors.inc()
      else acquireSeconds.observe((performance.now() - began) / 1000)
    }
    if (!callback) {
      return connect()?.then(
        (client) => {
          end()
          return client
        },
        (error: unknown) => {
          end(error)
          throw error
        },
      )
    }
    connect((error, client, release) => {
      end(error)
      callback(error, client, release)
    })
  }
  pool.connect = observed as Pool['connect']
}
