import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { lastingPort } from './ports.ts'
import { until } from './until.ts'

const EXAMPLE = join(import.meta.dir, '../../.config/deploy/pgbouncer/pgbouncer.ini')
const START_MS = 10_000

/** Whether this machine has PgBouncer: a package of Debian and others, which no test installs. */
export const hasPgBouncer = Bun.which('pgbouncer') !== null

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>

/**
 * Starts PgBouncer with the settings of the example, in front of the database of an address.
 * @param changes lines of the example that differ, by their names
 */
export async function startPgBouncer(databaseUrl: string, changes: Record<string, string> = {}) {
  const server = new URL(databaseUrl)
  const database = server.pathname.slice(1)
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-pgbouncer-'))
  const port = await lastingPort()
  const [settings, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'userlist.txt')]
  const ownSettings: Record<string, string> = {
    listen_port: String(port),
    auth_file: users,
    unix_socket_dir: '',
    tonearm: '',
    ...changes,
  }
  const example = await Bun.file(EXAMPLE).text()
  const limit = /connect_query=.*/.exec(example)?.[0]
  if (!limit) throw new Error('the example limits no statement')
  ownSettings.tonearm ||= `host=${server.hostname} port=${server.port} dbname=${database} ${limit}`
  const remainingLines = example.split('\n').filter((line) => !Object.hasOwn(ownSettings, line.split(' = ')[0] ?? ''))
  const { tonearm, ...others } = ownSettings
  const lines = Object.entries(others).map(([name, value]) => `${name} = ${value}`)
  const text = [...remainingLines, ...lines].join('\n').replace('[databases]', `[databases]\n${database} = ${tonearm}`)
  await Bun.write(settings, text)
  await Bun.write(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`)
  await chmod(folder, 0o755)
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = Bun.spawn(['pgbouncer', ...user, settings], {
    stdout: Bun.file(join(folder, 'log')),
    stderr: Bun.file(join(folder, 'log')),
  })
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
    await rm(folder, { recursive: true, force: true })
  }
  await until('PgBouncer to answer', START_MS, async () => {
    if (child.exitCode !== null) throw new Error(await Bun.file(join(folder, 'log')).text())
    const client = new Client({ connectionString: url.toString() })
    client.on('error', () => {})
    const isOpen = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => {})
    return isOpen
  })
  return { url: url.toString(), stop }
}
