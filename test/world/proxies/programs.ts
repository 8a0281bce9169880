// nginx, HAProxy and Caddy with the files of .config/deploy that the guide "Run in production" shows. Only names, ports and paths of
// this machine are put into them.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../../.config/once.ts'
import { startNginx } from '../../support/nginx.ts'
import { lastingPort } from '../../support/ports.ts'
import { until } from '../../support/until.ts'

/** Every program resolves names below localhost to this machine. */
export const hosts = { api: 'api.localhost', upload: 'upload.localhost', files: 'files.localhost' }
const EXAMPLE_HOSTS = {
  'api.example.com': hosts.api,
  'upload.example.com': hosts.upload,
  'files.example.com': hosts.files,
}

/** The ports of the service. */
export interface Upstream {
  gateway: string
  edge: string
}

export interface TlsProxy {
  port: number
  httpPort: number
  /** A file with the certificate that its certificates are verified by. */
  ca: string
  /** Process ids of the program, without those that have ended. */
  pids: () => number[]
  stop: () => Promise<void>
}

/** Replaces parts of a text. @throws when one is not there */
export function replaceParts(text: string, parts: Record<string, string>): string {
  return Object.entries(parts).reduce((result, [part, replacement]) => {
    if (!result.includes(part)) throw new Error(`the file has no ${part}`)
    return result.replaceAll(part, replacement)
  }, text)
}

const readExample = (path: string) => readFileSync(join(root, '.config/deploy', path), 'utf8')

/** Creates a certificate of the hosts. @returns paths of the certificate and its key */
async function createCertificate(folder: string) {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const names = Object.values(hosts).map((host) => `DNS:${host}`)
  const options = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=tonearm', '-addext']
  const command = [
    'openssl',
    'req',
    '-x509',
    ...options,
    `subjectAltName=${names}`,
    '-keyout',
    key,
    '-out',
    certificate,
  ]
  if ((await Bun.spawn(command, { stdio: ['ignore', 'ignore', 'ignore'] }).exited) !== 0) throw new Error('openssl')
  return { certificate, key }
}

/** Process ids of a process and those that it started. */
function familyOf(pid: number): number[] {
  const children = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') : ''
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(familyOf)]
}

/** Starts a program and waits until it answers http. */
async function run(command: string[], folder: string, httpPort: number, env: Record<string, string> = {}) {
  const log = join(folder, 'program.log')
  const child = Bun.spawn(command, {
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    stdio: ['ignore', Bun.file(log), Bun.file(log)],
  })
  await until(`${command[0]} to answer`, 20_000, async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'))
    return fetch(`http://127.0.0.1:${httpPort}/`, { redirect: 'manual' }).catch(() => null)
  })
  return {
    pids: () => familyOf(child.pid),
    stop: async () => {
      child.kill('SIGTERM')
      await child.exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startTlsNginx({ gateway, edge }: Upstream): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-proxy-'))
  const [port, httpPort] = [await lastingPort(), await lastingPort()]
  const { certificate, key } = await createCertificate(folder)
  const text = replaceParts(readExample('nginx/tonearm.conf'), {
    ...EXAMPLE_HOSTS,
    'listen 80;': `listen ${httpPort};`,
    '[::]:80': `[::]:${httpPort}`,
    'listen 443 ': `listen ${port} `,
    '[::]:443': `[::]:${port}`,
    '127.0.0.1:3000': `127.0.0.1:${gateway}`,
    '127.0.0.1:3001': `127.0.0.1:${edge}`,
    '/etc/ssl/tonearm/certificate.pem': certificate,
    '/etc/ssl/tonearm/key.pem': key,
  })
  const { pid, stop } = await startNginx(text, httpPort)
  const stopAll = async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { port, httpPort, ca: certificate, pids: () => familyOf(pid), stop: stopAll }
}

async function startHaproxy({ gateway, edge }: Upstream): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-proxy-'))
  const [port, httpPort] = [await lastingPort(), await lastingPort()]
  const { certificate, key } = await createCertificate(folder)
  const certificates = join(folder, 'certificates')
  await mkdir(certificates)
  await Bun.write(join(certificates, 'tonearm.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  const text = replaceParts(readExample('haproxy/haproxy.cfg'), {
    'api.example.com': hosts.api,
    ':::80 ': `:::${httpPort} `,
    ':::443 ': `:::${port} `,
    '127.0.0.1:3000': `127.0.0.1:${gateway}`,
    'port 3000': `port ${gateway}`,
    '127.0.0.1:3001': `127.0.0.1:${edge}`,
    '/etc/haproxy/certificates/': `${certificates}/`,
  })
  await Bun.write(join(folder, 'haproxy.cfg'), text)
  const program = await run(['haproxy', '-f', join(folder, 'haproxy.cfg')], folder, httpPort)
  return { port, httpPort, ca: certificate, ...program }
}

async function startCaddy({ gateway, edge }: Upstream): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-proxy-'))
  const [port, httpPort] = [await lastingPort(), await lastingPort()]
  // Certificates of its own authority, because a public one cannot reach this machine.
  const options = ['admin off', 'local_certs', 'skip_install_trust', `https_port ${port}`, `http_port ${httpPort}`]
  const example = readExample('Caddyfile')
  const text = replaceParts(example, { '\ton_demand_tls {': `\t${options.join('\n\t')}\n\ton_demand_tls {` })
  const file = join(folder, 'Caddyfile')
  await Bun.write(file, text)
  const program = await run(['caddy', 'run', '--adapter', 'caddyfile', '--config', file], folder, httpPort, {
    API_HOST: hosts.api,
    UPLOAD_HOST: hosts.upload,
    S3_HOST: 'objects.localhost',
    GATEWAY: `127.0.0.1:${gateway}`,
    EDGE: `127.0.0.1:${edge}`,
    EDGE_HEALTH: `127.0.0.1:${gateway}`,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  })
  const ca = join(folder, 'caddy/pki/authorities/local/root.crt')
  await until('the certificate of Caddy', 10_000, () => existsSync(ca))
  return { port, httpPort, ca, ...program }
}

/** The proxies by name: whether this machine has one, and how it starts. */
export const proxies = {
  nginx: { isInstalled: Bun.which('nginx') !== null, start: startTlsNginx },
  HAProxy: { isInstalled: Bun.which('haproxy') !== null, start: startHaproxy },
  Caddy: { isInstalled: Bun.which('caddy') !== null, start: startCaddy },
}

/** Bytes that processes have written to disks. */
export const writtenBytes = (pids: readonly number[]): number =>
  pids
    .map((pid) => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]))
    .reduce((sum, bytes) => sum + bytes, 0)
