import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type QueryResultRow } from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { lastingPort } from '../support/ports.ts'

/** A PostgreSQL that tests stop and start again. Its services see one address. */
export type FaultyDatabase = Awaited<ReturnType<typeof startDatabase>>

export async function startDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-database-'))
  const port = await lastingPort()
  const connections = new Set<Socket>()
  let postgres: EmbeddedPostgres
  let door: Server
  /** The connection of the tests themselves. */
  let ours: Promise<Client> | null = null

  /** PostgreSQL takes another port at each start. @returns its own connection string */
  async function open(): Promise<string> {
    postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { max_connections: '200' })
    const target = Number(new URL(postgres.url).port)
    door = createServer((client) => {
      const server = createConnection(target, '127.0.0.1')
      client.pipe(server).pipe(client)
      connections.add(client)
      client.on('close', () => connections.delete(client))
      client.on('error', () => server.destroy())
      server.on('error', () => client.destroy())
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    door.listen(port, '127.0.0.1', resolve)
    await promise
    return postgres.url
  }

  /** Stops PostgreSQL. Connections are refused until `open`. */
  async function close(): Promise<void> {
    door.close()
    await ours?.then((client) => client.end()).catch(() => {})
    ours = null
    await postgres.stop()
    for (const connection of connections) connection.destroy()
  }

  async function connect(): Promise<Client> {
    const client = new Client({ connectionString: postgres.url, application_name: 'test' })
    client.on('error', () => {
      ours = null
    })
    await client.connect()
    return client
  }

  /** Runs statements past the door that `close` shuts, on one connection: tests ask many times a second. */
  async function withClient<T>(use: (client: Client) => Promise<T>): Promise<T> {
    ours ??= connect().catch((error) => {
      ours = null
      throw error
    })
    return use(await ours)
  }

  const query = <Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
    withClient(async (client) => (await client.query<Row>(text, values)).rows)

  const opened = await open()
  const url = new URL(opened)
  url.port = String(port)
  return {
    /** Connection string that stays the same. */
    url: url.toString(),
    open,
    close,
    query,
    withClient,
    /** Ends all connections of services from the side of the server. @returns their number */
    terminateConnections: async () =>
      (
        await query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        )
      ).length,
    stop: async () => {
      await close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
