import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'

const SETTINGS = { max_connections: '100', max_wal_senders: '4' }

/**
 * Starts a PostgreSQL with a streaming replica: a copy of its folder that follows it. The address of the replica leads
 * through a door that may be closed without a word, as a broken network is.
 */
export async function startReplicated() {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-replica-'))
  const [first, second] = [join(folder, 'primary'), join(folder, 'replica')]
  const empty = await startEmbeddedPostgres(first, SETTINGS)
  await migrate(empty.url)
  await empty.stop()
  await cp(first, second, { recursive: true, filter: (path) => !/(lock|owner\.pid)$/.test(path) })
  await writeFile(join(second, 'cluster/standby.signal'), '')
  const primary = await startEmbeddedPostgres(first, SETTINGS)
  const { hostname, port, username, password } = new URL(primary.url)
  const primary_conninfo = `host=${hostname} port=${port} user=${username} password=${password}`
  const start = () => startEmbeddedPostgres(second, { ...SETTINGS, primary_conninfo, hot_standby: 'on' })
  let replica = await start()
  const door = await openDoor(() => Number(new URL(replica.url).port))

  const query = async (url: string, text: string, values: unknown[] = []) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }
  const replicaUrl = new URL(replica.url)
  replicaUrl.port = String(door.port)
  return {
    url: primary.url,
    replicaUrl: replicaUrl.toString(),
    query: (text: string, values?: unknown[]) => query(primary.url, text, values),
    /** Stops the replica from applying what it receives. */
    pause: () => query(replica.url, 'SELECT pg_wal_replay_pause()'),
    resume: () => query(replica.url, 'SELECT pg_wal_replay_resume()'),
    /** Lets no byte pass, and closes no connection. */
    silence: (isSilent: boolean) => door.silence(isSilent),
    stopReplica: () => replica.stop(),
    startReplica: async () => {
      replica = await start()
    },
    stop: async () => {
      await door.close()
      await replica.stop()
      await primary.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function openDoor(target: () => number) {
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((client) => {
    const upstream = createConnection(target(), '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isSilent) from.pause()
    }
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    silence: (isOn: boolean) => {
      isSilent = isOn
      for (const socket of sockets) isOn ? socket.pause() : socket.resume()
    },
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
