import { z } from 'zod'
import type { Config } from '../../config.ts'
import type { Services } from '../../platform/context.ts'
import { invalidInput } from '../../platform/errors.ts'
import { isPrivateName, isPublicAddress, literalAddress } from '../../platform/http/address.ts'

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^(?=[^:]{1,253}(:|$))${LABEL}(\\.${LABEL})*(:\\d{1,5})?$`)

/** A host in lower case, with its port if that is not the default one. */
export const domainInput = z
  .string()
  .max(259)
  .transform((value) => value.toLowerCase())
  .refine(isHost, 'must be a host, or host:port, such as cdn.example.com')

/** Refuses short forms of IPv4 addresses: the URL parser would write them in full. */
function isHost(value: string): boolean {
  const parsed = HOST.test(value) && URL.canParse(`http://${value}`) ? new URL(`http://${value}`) : null
  const [name, port] = value.split(':')
  return parsed?.hostname === name && (port === undefined || (Number(port) > 0 && String(Number(port)) === port))
}

type Addresses = Pick<Config, 'publicUrl' | 'edgeUrl'>

/**
 * Refuses the host of the gateway: files must not share the origin of the API. The host of the edge is always accepted.
 * @param domain as parsed by `domainInput`
 * @throws AppError `invalid_input`
 */
export function checkOrigin({ publicUrl, edgeUrl }: Addresses, domain: string): void {
  if (domain === new URL(edgeUrl).host || hostnameOf(domain) !== new URL(publicUrl).hostname) return
  throw invalidInput('domain', 'must not be the host of the API')
}

/**
 * Refuses private addresses and names, unless the edge itself has one: then the service is on a private network.
 * @param domain as parsed by `domainInput`
 * @throws AppError `invalid_input`
 */
export function checkPublic({ edgeUrl }: Addresses, domain: string): void {
  if (isPublicHost(new URL(edgeUrl).hostname) && !isPublicHost(hostnameOf(domain))) {
    throw invalidInput('domain', 'must be a public host name or address')
  }
}

const hostnameOf = (domain: string) => domain.split(':')[0] ?? ''

function isPublicHost(hostname: string): boolean {
  const literal = literalAddress(hostname)
  return literal === null ? !isPrivateName(hostname) : isPublicAddress(literal)
}

/** Time in milliseconds for which the domains are not read again. */
const MAX_AGE_MS = 10_000

/**
 * Creates a function that returns whether files of an organization are delivered by a host, in any letter case. All
 * domains are read in one statement, at most every 10 seconds: any client can ask, for any host. While they cannot be
 * read, those that were read last count.
 * @throws the error of the database when no domains were read yet
 */
export function createIsDeliveryDomain({ pool, config, clock }: Pick<Services, 'pool' | 'config' | 'clock'>) {
  let hosts: ReadonlySet<string> = new Set()
  let readMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    const { rows } = await pool.query<{ domain: string }>('SELECT DISTINCT domain FROM organization')
    hosts = new Set([new URL(config.edgeUrl).hostname, ...rows.map(({ domain }) => hostnameOf(domain))])
  }

  async function renew(): Promise<void> {
    const isFirst = readMs === Number.NEGATIVE_INFINITY
    const beganMs = clock().getTime()
    try {
      await read()
      readMs = beganMs
    } catch (error) {
      if (isFirst) throw error
      // The next attempt waits, too.
      readMs = beganMs
    } finally {
      reading = null
    }
  }

  return async (host: string): Promise<boolean> => {
    if (Math.abs(clock().getTime() - readMs) > MAX_AGE_MS) {
      reading ??= renew()
      await reading
    }
    return hosts.has(host.toLowerCase())
  }
}
