import ipaddr from 'ipaddr.js'

/** Of IPv6, what was given out for the whole internet; the rest has a meaning of its own, or none yet. */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/**
 * Whether an IP address belongs to the public internet: not private, loopback, link-local (where clouds keep their
 * metadata), CGNAT, reserved or a way round to one of these. IPv4 inside IPv6 is judged as IPv4.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
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
