import ipaddr from 'ipaddr.js'

/**
 * The client's address. Each proxy in front appends whom it saw to X-Forwarded-For, so the entry that many from the
 * right was written by the outermost of ours; what stands further left anybody may have made up.
 * @param peer who connected to this process
 * @param trustedProxies how many proxies in front append
 * @returns null where nothing is known
 */
export function clientAddress(headers: Headers, peer: string | undefined, trustedProxies: number): string | null {
  const entries = headers.get('x-forwarded-for')?.split(',') ?? []
  const forwarded = trustedProxies > 0 ? plainAddress(entries.at(-trustedProxies)) : null
  return forwarded ?? plainAddress(peer)
}

/** Without brackets and port; IPv4 inside IPv6 as IPv4. Null for what is no address. */
function plainAddress(text: string | undefined): string | null {
  const bare =
    text
      ?.trim()
      .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
      .replace(/^([\d.]+):\d+$/, '$1') ?? ''
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null
}

const SITE_PARTS = 4

/** What to count by: an IPv4 address, or the /64 of an IPv6 one, of which a single client has every address. */
export function addressBlock(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, SITE_PARTS)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : parsed.toString()
}
