import ipaddr from 'ipaddr.js'

/** The globally allocated part of IPv6. The rest is reserved or unallocated. */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** Formally public, but Azure's metadata and agent host inside its networks. */
const AZURE_WIRE_SERVER = '168.63.129.16'
/** Names of the local host or network (RFC 6761, 6762, 8375; `internal`: ICANN, 2024). */
const PRIVATE_ZONES = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/

/**
 * Returns whether an IP address belongs to the public internet: not private, loopback, link-local (cloud metadata),
 * CGNAT, reserved, or an alias of these. IPv4 inside IPv6 is treated as IPv4.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.toString() === AZURE_WIRE_SERVER) return false
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6))
}

/**
 * Returns the IP address in a URL's host, or null for a name.
 * @param hostname from `URL`: IPv4 in normal form, IPv6 in brackets
 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return ipaddr.isValid(bare) ? bare : null
}

/**
 * Returns whether a host name is outside the public internet: names of the host or the network, and single-label names,
 * which a resolver completes with its own domain.
 * @param hostname from `URL`, not a literal address
 */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  return !name.includes('.') || PRIVATE_ZONES.test(name)
}
