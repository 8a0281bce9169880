import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../config.ts'
import { findEmbeddedPostgres } from '../../platform/db/embedded.ts'
import { checkPort, listPorts, type Port } from '../listen.ts'
import { type Check, type DoctorFinding, describeError, guide, ok, problem, warning } from './finding.ts'

const PORTS = ['PORT', 'EDGE_PORT', 'METRICS_PORT', 'HOST', 'ROLES']
const ADDRESSES = ['PUBLIC_URL', 'EDGE_URL', 'PORT', 'EDGE_PORT']
const ANSWER_MS = 5_000

export const addressChecks: Check[] = [
  { name: 'ports', settings: PORTS, run: checkPorts },
  { name: 'addresses', settings: [...ADDRESSES, 'ROLES'], run: checkAddresses },
  { name: 'https', settings: [...ADDRESSES, 'DELIVERY_URL'], run: checkHttps },
  { name: 'proxies', settings: [...ADDRESSES, 'TRUSTED_PROXIES'], run: checkProxies },
]

/** The program that answers at an address. */
type Answer = { from: 'gateway' | 'edge' } | { from: 'other'; text: string } | { from: null; reason: string }

/** Requests an address that gateway and edge refuse in different ways, both with the envelope of errors. */
async function ask(base: string): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const headers = { accept: 'application/json' }
    const response = await fetch(`${base}/upload/doctor`, { headers, redirect: 'manual', signal })
    const body = (await response.json().catch(() => null)) as { code?: unknown; api_request_id?: unknown } | null
    const isOurs = body && body.api_request_id === response.headers.get('x-request-id')
    if (isOurs && body.code === 'method_not_allowed') return { from: 'edge' }
    if (isOurs && body.code === 'not_found') return { from: 'gateway' }
    return { from: 'other', text: `another program answers (status ${response.status})` }
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string }
    const isLate = name === 'TimeoutError'
    return { from: null, reason: isLate ? `no answer within ${ANSWER_MS / 1000} s` : (code ?? describeError(error)) }
  }
}

/** Whether a Tonearm that answers can be this installation. With the embedded database, both run or neither does. */
async function canBeOwn({ isEmbedded, dataDir }: Config): Promise<boolean> {
  return !isEmbedded || Boolean((await findEmbeddedPostgres(join(dataDir, 'postgres')))?.url)
}

async function checkPorts(config: Config): Promise<DoctorFinding[]> {
  const isOwn = await canBeOwn(config)
  return Promise.all(listPorts(config).map((port) => examinePort(config.host, port, isOwn)))
}

async function examinePort(hostname: string, { setting, port }: Port, isOwn: boolean): Promise<DoctorFinding> {
  try {
    await checkPort(hostname, { setting, port })
    return ok(`${setting}: ${port} is free, the service does not run here`)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { code } = error.cause as { code?: string }
    const answer = code === 'EADDRINUSE' ? await ask(`http://${reachable(hostname)}:${port}`) : null
    if (answer?.from === 'gateway' || answer?.from === 'edge') {
      if (isOwn) return ok(`${setting}: ${port} is in use by a Tonearm that is running`)
      return problem(`${setting}: ${port} is in use by another Tonearm`, `Stop it, or set ${setting}.`)
    }
    if (error.message.startsWith('HOST')) {
      return problem(error.message, 'Set HOST to an address of this machine, or to 0.0.0.0 for all.')
    }
    return problem(error.message, answer ? `Stop that program, or set ${setting}.` : `Set ${setting} to another port.`)
  }
}

/** The address at which a process on this host reaches a listener. */
function reachable(hostname: string): string {
  if (hostname === '0.0.0.0') return '127.0.0.1'
  if (hostname === '::') return '[::1]'
  return hostname.includes(':') ? `[${hostname}]` : hostname
}

async function checkAddresses(config: Config): Promise<DoctorFinding[]> {
  const { publicUrl, edgeUrl, port, edgePort, isEmbedded } = config
  const isOwn = await canBeOwn(config)
  const [gateway, edge] = await Promise.all([
    checkAddress({ setting: 'PUBLIC_URL', url: publicUrl, role: 'gateway', port }, isOwn),
    checkAddress({ setting: 'EDGE_URL', url: edgeUrl, role: 'edge', port: edgePort }, isOwn),
  ])
  const local = Object.entries({ PUBLIC_URL: publicUrl, EDGE_URL: edgeUrl }).filter(([, url]) => isLoopback(url))
  if (isEmbedded || local.length === 0) return [gateway, edge]
  const summary = `${local.map(([name, url]) => `${name} is ${url}`).join(', ')}: other machines cannot reach that`
  const remedy = 'Set the public addresses of the gateway and the edge.'
  return [gateway, edge, warning(summary, `${remedy} ${capitalized(guide('TLS proxy'))}.`)]
}

interface Address {
  setting: string
  url: string
  /** Role that answers there. */
  role: 'gateway' | 'edge'
  /** Port of the role on this host. */
  port: number
}

async function checkAddress({ setting, url, role, port }: Address, isOwn: boolean): Promise<DoctorFinding> {
  const answer = await ask(url)
  const place = `${setting} (${url})`
  if (answer.from === role && isOwn) return ok(`${place} is answered by the ${role}`)
  if (answer.from === null) {
    if (isOwnPort(url, port)) return ok(`${place} does not answer: no ${role} runs here`)
    const remedy = `Start the service. If it runs, check ${setting}, DNS, the certificate and the proxy.`
    return warning(`${place} does not answer from here: ${answer.reason}`, remedy)
  }
  return problem(`${place}: ${foundAt(answer, role)}`, `Correct ${setting}, or let the proxy pass it to the ${role}.`)
}

/** @param answer of a program other than this service in this role */
function foundAt(answer: Extract<Answer, { from: string }>, role: Address['role']): string {
  if (answer.from === 'other') return answer.text
  return answer.from === role ? 'another Tonearm answers' : `the ${answer.from} answers instead of the ${role}`
}

/** Whether an address names a port of this machine. */
const isOwnPort = (url: string, port: number) => isLoopback(url) && new URL(url).port === String(port)

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/.test(hostname)
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function checkHttps({ publicUrl, edgeUrl, deliveryUrl }: Config): DoctorFinding[] {
  if (!publicUrl.startsWith('https:')) return [ok('PUBLIC_URL is http: browsers allow files of either kind')]
  const mixed = [
    ...(deliveryUrl.startsWith('http:') ? ['DELIVERY_URL'] : []),
    ...(edgeUrl.startsWith('http:') ? ['EDGE_URL'] : []),
  ]
  if (mixed.length === 0) return [ok('PUBLIC_URL, EDGE_URL and DELIVERY_URL are https')]
  return mixed.map((setting) =>
    problem(
      `PUBLIC_URL is https and ${setting} is http: browsers refuse http on an https page`,
      setting === 'EDGE_URL' ? 'Set EDGE_URL to an https address.' : 'Set DELIVERY_URL=https://{org_domain}.',
    ),
  )
}

function checkProxies({ publicUrl, port, trustedProxies }: Config): DoctorFinding[] {
  if (publicUrl.startsWith('https:') && trustedProxies === 0) {
    const summary = 'TRUSTED_PROXIES is 0, but PUBLIC_URL is https: all clients have the address of the proxy'
    return [warning(summary, 'Set TRUSTED_PROXIES to the number of proxies that append to X-Forwarded-For.')]
  }
  if (trustedProxies > 0 && isOwnPort(publicUrl, port)) {
    const summary = `TRUSTED_PROXIES is ${trustedProxies}, but PUBLIC_URL names this process: clients choose their own address`
    return [warning(summary, 'Set TRUSTED_PROXIES=0, or PUBLIC_URL to the address of the proxy.')]
  }
  return [ok(`TRUSTED_PROXIES is ${trustedProxies}`)]
}
