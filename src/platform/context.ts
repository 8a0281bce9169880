import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from './db/client.ts'
import type { AdministratorRole, KeyKind } from './db/generated/client/enums.ts'
import type { Notifications } from './db/notify.ts'
import type { Reader } from './db/query/reader.ts'
import type { TokenIssuer } from './identity/oidc.ts'
import type { Signing } from './identity/signing.ts'
import type { TokenKeys } from './identity/token-keys.ts'
import type { Tools } from './media/ffmpeg/run.ts'
import type { Metrics } from './metrics.ts'
import type { Storage } from './storage/storage.ts'

/** What a process has: made once in main, handed down, never imported. */
export interface Services {
  config: Config
  db: Database
  /** What lists and single records are read with. */
  reader: Reader
  /** For the hand-written queries of the hot paths. */
  pool: Pool
  /** What other processes, too, have committed. */
  notifications: Notifications
  storage: Storage
  signing: Signing
  tokenKeys: TokenKeys
  /** Another service that administrators may sign in at; null where none is set. */
  oidc: TokenIssuer | null
  tools: Tools
  metrics: Metrics
  clock: () => Date
  log: Logger
}

/** Who asks: the holder of a key, or a person who signed in. */
export type Viewer = KeyViewer | AdministratorViewer

export interface KeyViewer {
  type: 'key'
  keyId: string
  kind: KeyKind
  organizationId: string
  collectionId: string | null
  creatorId: string | null
  /** When the key ends; null where it does not. */
  expiresAt: Date | null
}

export interface AdministratorViewer {
  type: 'administrator'
  administratorId: string
  role: AdministratorRole
  organizationId: string
  /** Null where another issuer's token was shown: that sign-in is not ours to end. */
  sessionId: string | null
  /** When the token ends. */
  expiresAt: Date
}

/** What every use case is given: the services, and who asks; null where nobody said who they are. */
export interface Context extends Services {
  viewer: Viewer | null
  /**
   * Who the same credential speaks for by now, for answers that last longer than a moment.
   * @throws AppError `unauthenticated`
   */
  identifyAgain?: () => Promise<Viewer | null>
  requestId: string
  /** Fires when nobody waits for the answer any more, or it took too long. */
  signal?: AbortSignal
  /** Of the client, where it is known (TRUSTED_PROXIES says whom to believe). */
  address: string | null
  userAgent: string | null
}
