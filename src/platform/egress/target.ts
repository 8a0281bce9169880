import { lookup } from 'node:dns/promises'
import { isPrivateName, isPublicAddress, literalAddress } from '../http/address.ts'
import { EgressError } from './error.ts'

export interface HostAddress {
  address: string
  family: number
}

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<HostAddress[]>

/** Resolves with the system, hosts file included. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: 'verbatim' })

/** Target of a request: the parsed address and the addresses of its host, both determined once. */
export interface EgressTarget {
  url: URL
  /** Host without brackets and without the trailing dot. */
  hostname: string
  addresses: HostAddress[]
}

/**
 * Parses an address by the WHATWG rules, which cover every notation of IPv4. The text is not parsed again later.
 * @param allowPrivate also http, and hosts outside the public internet
 * @throws EgressError `forbidden_address`
 */
export function parseTarget(address: string, allowPrivate: boolean): Omit<EgressTarget, 'addresses'> {
  const url = URL.parse(address)
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && allowPrivate))) throw forbidden()
  if (url.username || url.password || url.hostname === '') throw forbidden()
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (allowPrivate) return { url, hostname }
  const literal = literalAddress(url.hostname)
  if (literal ? !isPublicAddress(literal) : isPrivateName(hostname)) throw forbidden()
  return { url, hostname }
}

/**
 * Parses and resolves an address. A name with any forbidden address is rejected.
 * @throws EgressError `forbidden_address`, `unresolvable`
 */
export async function findTarget(address: string, allowPrivate: boolean, resolve: Resolve): Promise<EgressTarget> {
  const parsed = parseTarget(address, allowPrivate)
  const literal = literalAddress(parsed.hostname)
  const addresses = literal
    ? [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
    : await resolve(parsed.hostname).catch((error) => {
        throw new EgressError('unresolvable', error)
      })
  if (addresses.length === 0) throw new EgressError('unresolvable')
  if (!allowPrivate && !addresses.every((one) => isPublicAddress(one.address))) throw forbidden()
  return { ...parsed, addresses }
}

const forbidden = () => new EgressError('forbidden_address')
