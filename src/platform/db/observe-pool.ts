import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool, PoolClient } from 'pg'
import type { Metrics } from '../metrics.ts'
import { noTracing, type Tracing } from '../tracing/tracing.ts'

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void

/**
 * Measures the time until the pool provides a connection, for single statements and transactions. With traces, each
 * statement has a span with its text; values are never part of it.
 */
export function observePool(
  pool: Pool,
  metrics: Pick<Metrics, 'acquireSeconds' | 'acquireErrors'>,
  tracing: Tracing = noTracing,
): void {
  if (tracing.isOn) pool.on('connect', (client) => traceStatements(client, tracing))
  const { acquireErrors } = metrics
  const acquired = metrics.acquireSeconds.of()
  const connect = pool.connect.bind(pool) as (callback?: Connected) => Promise<PoolClient> | undefined
  const observed = (callback?: Connected) => {
    const began = performance.now()
    const end = (error?: unknown) => {
      if (error) acquireErrors.inc()
      else acquired.observe((performance.now() - began) / 1000)
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
    // A waiting request is served when another one releases its connection, whose origin it must not get.
    const boundCallback = tracing.isOn ? AsyncLocalStorage.bind(callback) : callback
    connect((error, client, release) => {
      end(error)
      boundCallback(error, client, release)
    })
  }
  pool.connect = observed as Pool['connect']
}

type Query = (...args: unknown[]) => unknown

function traceStatements(client: PoolClient, tracing: Tracing): void {
  const query = client.query.bind(client) as Query
  const traced: Query = (...args) => {
    const [config] = args
    const text = typeof config === 'string' ? config : (config as { text?: unknown } | undefined)?.text
    if (typeof text !== 'string') return query(...args)
    const [, verb = 'statement'] = /^\s*(\w+)/.exec(text) ?? []
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text }
    return tracing.inSpan(`SQL ${verb.toUpperCase()}`, { kind: 'client', attributes }, (span) => {
      const last = args.at(-1)
      if (!span || typeof last !== 'function') return query(...args)
      // The span of a statement with a callback ends with the promise, which the driver does not return.
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      promise.catch(() => {})
      query(...args.slice(0, -1), (error: Error | null, ...rest: unknown[]) => {
        if (error) reject(error)
        else resolve()
        last(error, ...rest)
      })
      return promise
    })
  }
  client.query = traced as PoolClient['query']
}
