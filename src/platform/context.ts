import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from './db/client.ts'
import type { AdministratorRole, KeyKind } from './db/generated/client/enums.ts'
import type { Notifications } from './db/notify.ts'
import type { Reader } from './db/query/reader.ts'
import type { Replica } from './db/replica.ts'
import type { TokenIssuer } from './identity/oidc.ts'
import type { Signing } from './identity/signing.ts'
import type { TokenKeys } from './identity/token-keys.ts'
import type { Tools } from './media/ffmpeg/run.ts'
import type { Metrics } from './metrics.ts'
import type { Storage } from './storage/storage.ts'
import type { Tracing } from './tracing/tracing.ts'

/** Ways to the database that share a pool. */
export interface DatabaseAccess {
  db: Database
  /** Reads lists and single records. */
  reader: Reader
  /**
   * Reads lists, counts and sums, from the read replica where one has everything that was committed before. Never
   * writes. `reader` without DATABASE_READ_URL.
   */
  lists: Reader
  /** For hand-written queries of hot paths. */
  pool: Pool
}

/** Services of a process: created once at the start and passed down, never imported. */
export interface Services extends DatabaseAccess {
  config: Config
  /**
   * Connections of GraphQL, which nothing else uses: keys, sign-in, stream links and health never wait for an operation.
   * Requests limit their statements (`platform/graphql/access.ts`).
   */
  graphql: DatabaseAccess
  /** The read replica. Null without DATABASE_READ_URL. */
  replica: Replica | null
  /**
   * Connections to the server itself: for the state of a session (LISTEN, its advisory locks) and the queue, which a
   * pooler does not keep. `pool` without DATABASE_DIRECT_URL.
   */
  direct: Pool
  /** Changes that any process has committed. */
  notifications: Notifications
  storage: Storage
  signing: Signing
  tokenKeys: TokenKeys
  /** Another service that administrators may sign in at. Null unless configured. */
  oidc: TokenIssuer | null
  tools: Tools
  metrics: Metrics
  tracing: Tracing
  clock: () => Date
  log: Logger
}

/** The authenticated client: a key, or a person who signed in. */
export type Viewer = KeyViewer | AdministratorViewer

export interface KeyViewer {
  type: 'key'
  keyId: string
  kind: KeyKind
  organizationId: string
  collectionId: string | null
  creatorId: string | null
  /** Expiry of the key. Null for a key without one. */
  expiresAt: Date | null
}

export interface AdministratorViewer {
  type: 'administrator'
  administratorId: string
  role: AdministratorRole
  organizationId: string
  /** Null for a token of another issuer. */
  sessionId: string | null
  /** Expiry of the token. */
  expiresAt: Date
}

/** Input of every use case: the services and the viewer. The viewer is null for unauthenticated requests. */
export interface Context extends Services {
  viewer: Viewer | null
  /**
   * Authenticates the same credential again, for long-lived answers.
   * @throws AppError `unauthenticated`
   */
  identifyAgain?: () => Promise<Viewer | null>
  /** Connections of sign-in, in an operation of GraphQL. Otherwise those of the context. */
  signInAccess?: DatabaseAccess
  requestId: string
  /** Fires when the client has disconnected or the deadline has passed. */
  signal?: AbortSignal
  /** Address of the client. Null if unknown (TRUSTED_PROXIES decides which headers are trusted). */
  address: string | null
  userAgent: string | null
}
