// Preloaded by every test run: one PostgreSQL with one migrated template that is cloned for each service. `run.ts` starts
// it when several processes share the tests.
import { afterAll } from 'bun:test'
import { Client } from 'pg'
import { SHARED_SERVER, startServer, type TestServer } from './server.ts'

let server: Promise<TestServer> | undefined
let clones = 0
/** Databases to drop after the file. */
const temporary = new Set<string>()

const shared = process.env[SHARED_SERVER]
if (shared) server = Promise.resolve({ url: shared, stop: async () => {} })

async function asAdmin<T>(use: (client: Client) => Promise<T>): Promise<T> {
  server ??= startServer()
  const url = new URL((await server).url)
  url.pathname = '/postgres'
  const client = new Client({ connectionString: url.toString() })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/**
 * Creates a database for one service.
 * @param template the database to copy; nothing may be connected to it. Defaults to a migrated, empty one.
 * @returns its address
 */
export async function cloneDatabase(template = 'tonearm'): Promise<string> {
  clones += 1
  const name = `test_${process.pid}_${clones}`
  // The template is small and in the cache: its pages take twice as long through the log.
  await asAdmin((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`))
  temporary.add(name)
  const url = new URL((await server)?.url ?? '')
  url.pathname = `/${name}`
  return url.toString()
}

/** Keeps a cloned database for the files to come. @returns its name, for further clones */
export function keepDatabase(url: string): string {
  const name = new URL(url).pathname.slice(1)
  temporary.delete(name)
  return name
}

/** Creates an empty database without tables. @param encoding of its texts @returns its address */
export async function emptyDatabase(encoding = 'UTF8'): Promise<string> {
  const url = new URL(await cloneDatabase())
  const name = url.pathname.slice(1)
  await asAdmin(async (client) => {
    await client.query(`DROP DATABASE ${name}`)
    await client.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`)
  })
  return url.toString()
}

// With several processes this runs after each file. Hundreds of databases would fill the memory.
afterAll(async () => {
  const names = [...temporary]
  temporary.clear()
  if (shared && names.length > 0) {
    await asAdmin(async (client) => {
      for (const name of names) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    })
  }
  await (await server)?.stop()
})
