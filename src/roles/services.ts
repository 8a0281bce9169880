import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Services } from '../platform/context.ts'
import { openDatabase } from '../platform/db/client.ts'
import { joinEmbeddedPostgres, startEmbeddedPostgres } from '../platform/db/embedded.ts'
import { migrate } from '../platform/db/migrate.ts'
import { createReader } from '../platform/db/read/reader.ts'
import { OperatorError, toAppError } from '../platform/errors.ts'
import { findTools } from '../platform/media/run.ts'
import { createMetrics } from '../platform/metrics.ts'
import { createNotifications } from '../platform/notify.ts'
import { createTokenIssuer } from '../platform/oidc.ts'
import { rootSecret } from '../platform/secret.ts'
import { createSigning } from '../platform/signing.ts'
import { createLocalStorage } from '../platform/storage/local.ts'
import { createS3Storage } from '../platform/storage/s3.ts'
import { migrateQueue } from '../platform/task.ts'
import { createTokenKeys } from '../platform/token-keys.ts'

/**
 * Opens all that a process works with, in the order in which each needs the one before: folder, database,
 * migrations, storage, programs.
 * @param joins true for a command beside the service: it uses the embedded database that is running, if one is
 */
export async function openServices(config: Config, log: Logger, joins = false) {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const start = joins ? joinEmbeddedPostgres : startEmbeddedPostgres
  const embedded = config.databaseUrl ? undefined : await start(join(config.dataDir, 'postgres'))
  const url = config.databaseUrl ?? embedded?.url ?? ''
  const applied = await migrate(url).catch((error) => {
    if (toAppError(error).code !== 'unavailable') throw error
    throw new OperatorError(`DATABASE_URL: the database cannot be reached (${(error as { code?: string }).code})`)
  })
  if (applied.length > 0) log.info({ applied }, 'migrations applied')
  const { db, pool, close } = openDatabase(url, log, { statementTimeoutMs: config.graphqlTimeoutSeconds * 1000 })
  await migrateQueue(pool)
  const { storage } = config
  const signing = createSigning(config.secret ?? (await rootSecret(config.dataDir)))
  const clock = () => new Date()
  const services: Services = {
    config,
    db,
    reader: createReader(pool),
    pool,
    notifications: createNotifications(pool.options, log),
    storage: storage.kind === 's3' ? createS3Storage(storage) : createLocalStorage(join(config.dataDir, 'storage')),
    signing,
    tokenKeys: createTokenKeys({ db, signing, clock, log }),
    oidc: config.oidc ? createTokenIssuer(config.oidc, clock) : null,
    tools: await findTools({ ffmpeg: config.ffmpeg, ffprobe: config.ffprobe }),
    metrics: createMetrics(),
    clock,
    log,
  }
  return {
    services,
    close: async () => {
      await services.notifications.end()
      await close()
      await embedded?.stop()
    },
  }
}
