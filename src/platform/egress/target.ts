import { lookup } from 'node:dns/promises'
import { isPrivateName, isPublicAddress, literalAddress } from '../http/address.ts'
import { EgressError } from './error.ts'

export interface HostAddress {
  address: string
  family: number
}

/** All addresses of a host's name. */
export type Resolve = (hostname: string) => Promise<HostAddress[]>

/** What the system says, hosts file included. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: 'verbatim' })

/** Where a request goes: an address that was taken apart once, and what its host was resolved to, once. */
export interface Target {
  url: URL
  /** The host without brackets and without the dot of the root. */
  hostname: string
  addresses: HostAddress[]
}

/**
 * Takes an address apart by the WHATWG rules, which know every way to write an IPv4 address; nothing reads the text
 * again afterwards.
 * @param allowPrivate also http, and hosts that are not of the public internet
 * @throws EgressError `forbidden_address`
 */
export function parseTarget(address: string, allowPrivate: boolean): Omit<Target, 'addresses'> {
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
 * Parses and resolves an address. A name with one forbidden address is refused whole: an honest one has none.
 * @throws EgressError `forbidden_address`, `unresolvable`
 */
export async function findTarget(address: string, allowPrivate: boolean, resolve: Resolve): Promise<Target> {
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
