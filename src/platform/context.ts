import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from './db/client.ts'
import type { Tools } from './media/run.ts'
import type { Metrics } from './metrics.ts'
import type { Signing } from './signing.ts'
import type { Storage } from './storage/storage.ts'

/** What a process has: made once in main, handed down, never imported. */
export interface Services {
  config: Config
  db: Database
  /** For the hand-written queries of the hot paths. */
  pool: Pool
  storage: Storage
  signing: Signing
  tools: Tools
  metrics: Metrics
  clock: () => Date
  log: Logger
}

/** What a use case is given: the services and who asks. `V` is the viewer, which `domain/access` defines. */
export interface RequestContext<V> extends Services {
  viewer: V
  requestId: string
}
