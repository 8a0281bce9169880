// Preloaded once per run: one PostgreSQL, one migrated template, a clone for whoever asks.
import { afterAll } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Pool } from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { migrateQueue } from '../../src/platform/task.ts'

let server: Promise<{ postgres: EmbeddedPostgres; folder: string }> | undefined
let clones = 0

async function startServer() {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  // Nothing here has to survive a power cut.
  const postgres = await startEmbeddedPostgres(folder, {
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '300',
  })
  await migrate(postgres.url)
  const pool = new Pool({ connectionString: postgres.url, max: 1 })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  await migrateQueue(pool)
  await pool.end()
  return { postgres, folder }
}

async function asAdmin<T>(use: (client: Client) => Promise<T>): Promise<T> {
  server ??= startServer()
  const url = new URL((await server).postgres.url)
  url.pathname = '/postgres'
  const client = new Client({ connectionString: url.toString() })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** The address of a fresh database, migrated and empty. */
export async function cloneDatabase(): Promise<string> {
  clones += 1
  const name = `test_${clones}`
  await asAdmin((client) => client.query(`CREATE DATABASE ${name} TEMPLATE tonearm`))
  const url = new URL((await server)?.postgres.url ?? '')
  url.pathname = `/${name}`
  return url.toString()
}

/** The address of a fresh database without anything in it. */
export async function emptyDatabase(): Promise<string> {
  const url = new URL(await cloneDatabase())
  const name = url.pathname.slice(1)
  await asAdmin(async (client) => {
    await client.query(`DROP DATABASE ${name}`)
    await client.query(`CREATE DATABASE ${name}`)
  })
  return url.toString()
}

afterAll(async () => {
  if (!server) return
  const { postgres, folder } = await server
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})
