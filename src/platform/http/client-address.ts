import ipaddr from 'ipaddr.js'
import type { Logger } from 'pino'

/**
 * Returns the client's address. Each proxy appends its peer to X-Forwarded-For, so the entry at that position from the
 * right was written by our outermost proxy. Clients can forge entries further left.
 * @param peer address of the connection
 * @param trustedProxies number of proxies that append
 * @returns null if unknown
 */
export function clientAddress(headers: Headers, peer: string | undefined, trustedProxies: number): string | null {
  return forwardedAddress(headers, trustedProxies) ?? plainAddress(peer)
}

/** Returns the client's address that our outermost proxy has written. Null without proxies. */
export function forwardedAddress(headers: Headers, trustedProxies: number): string | null {
  if (trustedProxies === 0) return null
  return plainAddress(headers.get('x-forwarded-for')?.split(',').at(-trustedProxies))
}

/**
 * Creates a check that warns once when the requests of a process do not fit TRUSTED_PROXIES: limits per address would
 * then apply to all clients of a proxy together, or to an address that the client chooses.
 */
export function createProxyCheck(log: Logger, trustedProxies: number): (headers: Headers) => void {
  let hasWarned = false
  return (headers) => {
    if (hasWarned) return
    const entries = headers.get('x-forwarded-for')?.split(',').length ?? 0
    const fits = trustedProxies === 0 ? entries === 0 : entries >= trustedProxies
    if (fits) return
    hasWarned = true
    log.warn(
      { trustedProxies, entries },
      trustedProxies === 0
        ? 'a request has X-Forwarded-For, but TRUSTED_PROXIES is 0: behind a proxy all clients count as one'
        : 'a request has fewer entries in X-Forwarded-For than TRUSTED_PROXIES: it did not pass all proxies, or the number is wrong',
    )
  }
}

/** IPv4 in the form that `toString` of the library returns. Checked first because the library parses much slower. */
const PLAIN_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}(?<!\.)$/

/** Removes brackets and port. IPv4 inside IPv6 becomes IPv4. Null for anything but an address. */
function plainAddress(text: string | undefined): string | null {
  if (text !== undefined && PLAIN_IPV4.test(text)) return text
  const bare =
    text
      ?.trim()
      .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
      .replace(/^([\d.]+):\d+$/, '$1') ?? ''
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null
}

const SITE_PARTS = 4

/**
 * Returns the rate-limit key of a client: its IPv4 address, or the /64 of an IPv6 one, since a client has the whole
 * block.
 */
export function addressBlock(address: string | null): string {
  if (address !== null && PLAIN_IPV4.test(address)) return address
  if (address === null || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, SITE_PARTS)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : parsed.toString()
}
