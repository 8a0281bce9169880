import ipaddr from 'ipaddr.js'

/** Of IPv6, what was given out for the whole internet; the rest has a meaning of its own, or none yet. */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** Looks public, and is Azure's metadata and agent host inside its networks. */
const AZURE_WIRE_SERVER = '168.63.129.16'
/** Names of one's own machine or network (RFC 6761, 6762, 8375; `internal`: ICANN, 2024). */
const PRIVATE_ZONES = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/

/**
 * Whether an IP address belongs to the public internet: not private, loopback, link-local (where clouds keep their
 * metadata), CGNAT, reserved or a way round to one of these. IPv4 inside IPv6 is judged as IPv4.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.toString() === AZURE_WIRE_SERVER) return false
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6))
}

/**
 * The IP address that stands in the place of a URL's host, or null where a name stands there.
 * @param hostname as `URL` gives it: IPv4 in its usual form however it was written, IPv6 in brackets
 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return ipaddr.isValid(bare) ? bare : null
}

/**
 * Whether a host's name alone says that it is not of the public internet: names of the machine or the network, and
 * those of one label, which a resolver completes with its own domain.
 * @param hostname as `URL` gives it, no literal address
 */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  return !name.includes('.') || PRIVATE_ZONES.test(name)
}
