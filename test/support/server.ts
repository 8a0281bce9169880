import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { migrateQueue } from '../../src/platform/jobs/task.ts'

/** Environment variable with the address of the shared server. */
export const SHARED_SERVER = 'TONEARM_TEST_POSTGRES'
/** Environment variable: with `s3`, every service of a test run stores its objects in a bucket of its own. */
export const TEST_STORAGE = 'TONEARM_TEST_STORAGE'
/**
 * Environment variable: with `sandboxed`, every service of a test run uses the media programs on the PATH; with `sound`, without
 * their sandbox.
 */
export const TEST_MEDIA = 'TONEARM_TEST_MEDIA'
/** Environment variable: the PATH of the machine, without the programs that a test run puts in front. */
export const SYSTEM_PATH = 'TONEARM_TEST_SYSTEM_PATH'

export interface TestServer {
  /** Address of the template database. */
  url: string
  stop: () => Promise<void>
}

/** Starts a server with a migrated template. */
export async function startServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  // No durability is needed, and no test waits for an automatic ANALYZE.
  const postgres = await startEmbeddedPostgres(folder, {
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    autovacuum: 'off',
    max_connections: '600',
  })
  await migrate(postgres.url)
  const pool = new Pool({ connectionString: postgres.url, max: 1 })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  await migrateQueue(pool)
  await pool.end()
  const stop = async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { url: postgres.url, stop }
}
