import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { OperatorError } from '../config.ts'
import type { Services } from '../platform/context.ts'
import { countedStorage } from '../platform/counted-storage.ts'
import { GRAPHQL_CONNECTIONS, openDatabase, openPool } from '../platform/db/client.ts'
import { isUnlimited, UNLIMITED } from '../platform/db/connect.ts'
import type { Connection } from '../platform/db/connection.ts'
import { joinEmbeddedPostgres, startEmbeddedPostgres } from '../platform/db/embedded.ts'
import { hasMigrations, migrate } from '../platform/db/migrate.ts'
import { createNotifications } from '../platform/db/notify.ts'
import { observePool } from '../platform/db/observe-pool.ts'
import { createReader } from '../platform/db/query/reader.ts'
import { openReplica, type Replica } from '../platform/db/replica.ts'
import { createTokenIssuer } from '../platform/identity/oidc.ts'
import { checkFingerprint, nameSecretOrigin, readFingerprint, rootSecret } from '../platform/identity/secret.ts'
import { createSigning } from '../platform/identity/signing.ts'
import { createTokenKeys } from '../platform/identity/token-keys.ts'
import { migrateQueue } from '../platform/jobs/task.ts'
import { findTools } from '../platform/media/ffmpeg/run.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import { createLocalStorage } from '../platform/storage/local.ts'
import { createS3Storage } from '../platform/storage/s3.ts'
import { createTracing } from '../platform/tracing/create.ts'
import { checkDatabase, findReplicaOutage } from './check-database.ts'
import { inDataDir } from './data-dir.ts'

/**
 * Opens the services of a process in order of their dependencies: folder, database, migrations, secret, storage,
 * programs. Closes the opened ones when a part fails.
 * @param purpose a `command` uses the embedded database of a running service, and never creates a database
 * @throws OperatorError for a mistake of the operator
 */
export async function openServices(config: Config, log: Logger, purpose: 'service' | 'command' = 'service') {
  const { dataDir, databaseUrl, storage } = config
  await using opened = new AsyncDisposableStack()
  const writesToFolder = storage.kind === 'file' || config.isDemo
  if (purpose === 'service' && writesToFolder) await createDataDir(dataDir)
  const url = databaseUrl ?? (await openEmbedded(dataDir, opened, { purpose }))
  const { directUrl, isPooled } = await checkDatabase(config, url)
  const setting = config.isEmbedded ? 'DATA_DIR' : 'DATABASE_URL'
  if (purpose === 'command' && !(await hasMigrations(directUrl))) {
    throw new OperatorError(`${setting}: the database has no tables of this service; start the service first`)
  }
  const began = performance.now()
  const applied = config.isEmbedded ? await inDataDir(dataDir, () => migrate(url)) : await migrate(directUrl)
  // Of a new database, the names are those of everything.
  const isNew = applied[0]?.endsWith('_initial') ?? false
  if (isNew) log.info({ ms: Math.round(performance.now() - began) }, 'tables created')
  else if (applied.length > 0) log.info({ applied }, 'migrations applied')
  const options = { statementTimeoutMs: statementTimeoutMs(config) }
  const shared = { ...options, isPooled, idle: new Set<Connection>() }
  const { db, pool, close } = openDatabase(url, log, shared)
  opened.defer(close)
  const metrics = createMetrics()
  const tracing = await createTracing(config.tracing, log)
  opened.defer(tracing.end)
  observePool(pool, metrics, tracing)
  const direct = isPooled ? openPool(directUrl, log, options) : { pool, close: async () => {} }
  opened.defer(direct.close)
  if (isPooled) await warnOfUnlimited(pool, log)
  await migrateQueue(direct.pool)
  const signing = createSigning(config.secret ?? (await secretInDataDir(dataDir, pool, purpose)))
  await checkFingerprint(pool, signing, nameSecretOrigin(config.secret, dataDir))
  const clock = () => new Date()
  const reader = createReader(pool)
  const graphql = openDatabase(url, log, { ...shared, max: GRAPHQL_CONNECTIONS })
  opened.defer(graphql.close)
  observePool(graphql.pool, metrics, tracing)
  const graphqlReader = createReader(graphql.pool)
  const replica = await openConfiguredReplica(config, { pool }, log, metrics)
  opened.defer(async () => replica?.close())
  const services: Services = {
    config,
    db,
    reader,
    lists: replica?.readerOver(reader) ?? reader,
    graphql: {
      db: graphql.db,
      pool: graphql.pool,
      reader: graphqlReader,
      lists: replica?.readerOver(graphqlReader) ?? graphqlReader,
    },
    replica,
    pool,
    direct: direct.pool,
    notifications: createNotifications(direct.pool.options, log),
    storage: countedStorage(
      storage.kind === 's3' ? createS3Storage(storage) : createLocalStorage(join(config.dataDir, 'storage')),
      metrics,
    ),
    signing,
    tokenKeys: createTokenKeys({ db, signing, clock, log }),
    oidc: config.oidc ? createTokenIssuer(config.oidc, clock) : null,
    tools: await findTools({ ffmpeg: config.ffmpeg, ffprobe: config.ffprobe }),
    metrics,
    tracing,
    clock,
    log,
  }
  opened.defer(() => services.notifications.end())
  const all = opened.move()
  return { services, close: () => all.disposeAsync() }
}

/**
 * Creates a secret only for a database without a fingerprint. Reads the fingerprint first: another process that starts
 * stores it after the file.
 * @throws OperatorError when the file is missing for this database
 */
async function secretInDataDir(dataDir: string, pool: Pool, purpose: 'service' | 'command'): Promise<string> {
  const isCreated = purpose === 'service' && (await readFingerprint(pool)) === null
  return inDataDir(dataDir, () => rootSecret(dataDir, { isCreated }))
}

/** @throws OperatorError when DATABASE_READ_URL cannot be a replica of the database */
async function openConfiguredReplica(
  config: Config,
  primary: Pick<Services, 'pool'>,
  log: Logger,
  metrics: Metrics,
): Promise<Replica | null> {
  const { databaseReadUrl: url, databaseReadMaxLagSeconds } = config
  if (!url) return null
  const outage = await findReplicaOutage(url, primary.pool)
  if (outage) log.warn({ err: outage }, `${outage.message}: reads are sent to the primary`)
  const options = { maxLagMs: 1000 * databaseReadMaxLagSeconds, statementTimeoutMs: statementTimeoutMs(config) }
  return openReplica(url, primary, log, metrics.reads, options)
}

async function warnOfUnlimited(pool: Pool, log: Logger): Promise<void> {
  if (await isUnlimited(pool)) {
    log.warn(`DATABASE_URL: ${UNLIMITED}; set connect_query of PgBouncer as in the guide "Run in production"`)
  }
}

/** Time limit of a statement in a process that answers requests, in seconds. */
const REQUEST_SECONDS = 15
/** The same in a process with workers alone, whose statements cover thousands of rows. */
const WORKER_SECONDS = 300

/** GRAPHQL_TIMEOUT_SECONDS ends operations of GraphQL by itself; here it only extends the time of statements. */
export function statementTimeoutMs({ roles, graphqlTimeoutSeconds }: Config): number {
  const isWorker = roles.every((role) => role === 'worker')
  return 1000 * (isWorker ? WORKER_SECONDS : Math.max(REQUEST_SECONDS, graphqlTimeoutSeconds))
}

const createDataDir = (dataDir: string) => inDataDir(dataDir, () => mkdir(dataDir, { recursive: true, mode: 0o700 }))

interface EmbeddedOptions {
  purpose?: 'service' | 'command'
  /** Of the server, if this process starts it. */
  settings?: Record<string, string>
}

/** @returns connection string of the embedded database */
export async function openEmbedded(
  dataDir: string,
  opened: AsyncDisposableStack,
  { purpose = 'service', settings }: EmbeddedOptions = {},
): Promise<string> {
  const folder = join(dataDir, 'postgres')
  if (purpose === 'service') await createDataDir(dataDir)
  const open = () => (purpose === 'command' ? joinEmbeddedPostgres(folder) : startEmbeddedPostgres(folder, settings))
  const embedded = await inDataDir(dataDir, open)
  opened.defer(() => embedded.stop())
  return embedded.url
}
