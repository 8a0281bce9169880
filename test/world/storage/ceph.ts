// Ceph with one disk in memory, and its S3 gateway: Debian's packages ceph-mon, ceph-osd and radosgw.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastingPort } from '../../support/ports.ts'
import { until } from '../../support/until.ts'

const PROGRAMS = ['monmaptool', 'ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin']
/** Programs that are missing. Tests are skipped by this name. */
export const missingCeph = PROGRAMS.filter((name) => !Bun.which(name))

const START_MS = 90_000
const DISK_BYTES = 4 * 2 ** 30

/** An entry of a keyring, with all rights. */
function createKey(name: string): string {
  const key = Buffer.alloc(28)
  // The kind of key, AES; the time of its creation follows, and the length of its secret.
  key.writeUInt16LE(1, 0)
  key.writeUInt16LE(16, 10)
  crypto.getRandomValues(key.subarray(12))
  const rights = ['mon', 'osd', 'mgr'].map((kind) => `caps ${kind} = "allow *"\n`)
  return `[${name}]\nkey = ${key.toString('base64')}\n${rights.join('')}`
}

export type Ceph = Awaited<ReturnType<typeof startCeph>>

/** Starts a cluster. @returns an origin of S3 with a key, and how to stop it */
export async function startCeph() {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-ceph-'))
  const [first, second, port] = [await lastingPort(), await lastingPort(), await lastingPort()]
  const monitor = `[v2:127.0.0.1:${first},v1:127.0.0.1:${second}]`
  const [file, map, keyring] = ['ceph.conf', 'monmap', 'keyring'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await Bun.write(keyring, ['mon.', 'osd.0', 'client.admin', 'client.rgw'].map(createKey).join(''))
  const [cluster, disk] = [crypto.randomUUID(), crypto.randomUUID()]
  await Promise.all(['mon', 'osd', 'run'].map((name) => mkdir(join(folder, name))))
  const settings: Record<string, string | number | boolean> = {
    fsid: cluster,
    mon_host: monitor,
    keyring,
    public_addr: '127.0.0.1',
    cluster_addr: '127.0.0.1',
    // One disk has the only copy.
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    mon_allow_pool_size_one: true,
    osd_crush_chooseleaf_type: 0,
    osd_pool_default_pg_num: 4,
    osd_pool_default_pgp_num: 4,
    osd_pool_default_pg_autoscale_mode: 'off',
    mon_max_pg_per_osd: 1000,
    osd_objectstore: 'memstore',
    memstore_device_bytes: DISK_BYTES,
    // A disk of this machine that is nearly full stops no test.
    mon_data_avail_crit: 0,
    mon_data: join(folder, 'mon'),
    osd_data: join(folder, 'osd'),
    run_dir: join(folder, 'run'),
    admin_socket: join(folder, 'run/$name.sock'),
    log_file: join(folder, '$name.log'),
    rgw_frontends: `beast endpoint=127.0.0.1:${port}`,
  }
  await Bun.write(
    file,
    `[global]\n${Object.entries(settings)
      .map((entry) => entry.join(' = '))
      .join('\n')}\n`,
  )

  /** Runs a command to its end. @returns its standard output. @throws with its output when it fails */
  async function run(name: string, ...args: string[]): Promise<string> {
    const child = Bun.spawn([name, '-c', file, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) !== 0) throw new Error(`${name} ${args.join(' ')}\n${stdout}\n${stderr}`)
    return stdout
  }
  const programs: Bun.Subprocess[] = []
  const start = (name: string, ...args: string[]) => {
    const log = Bun.file(join(folder, `${name}.out`))
    programs.unshift(Bun.spawn([name, '-c', file, ...args, '-f'], { stdin: 'ignore', stdout: log, stderr: log }))
  }
  async function stop(): Promise<void> {
    for (const program of programs) {
      program.kill('SIGKILL')
      await program.exited
    }
    await rm(folder, { recursive: true, force: true })
  }

  try {
    await run('monmaptool', '--create', '--fsid', cluster, '--addv', 'a', monitor, map)
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring)
    start('ceph-mon', '-i', 'a')
    await run('ceph', 'osd', 'new', disk, '0')
    await run('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', disk)
    start('ceph-osd', '-i', '0')
    await until(
      'the disk',
      START_MS,
      async () => JSON.parse(await run('ceph', 'osd', 'stat', '-f', 'json')).num_up_osds,
    )
    const gateway = ['-n', 'client.rgw']
    start('radosgw', ...gateway)
    const endpoint = `http://127.0.0.1:${port}`
    await until('the gateway', START_MS, async () => (await fetch(endpoint).catch(() => null))?.ok)
    const keys = { accessKeyId: 'tonearm', secretAccessKey: crypto.randomUUID() }
    const options = ['--uid=tonearm', '--display-name=tonearm']
    await run(
      'radosgw-admin',
      ...gateway,
      'user',
      'create',
      ...options,
      `--access-key=${keys.accessKeyId}`,
      `--secret-key=${keys.secretAccessKey}`,
    )
    return { endpoint, keys, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
