const MAX_LENGTH = 2048
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/

/**
 * The host in a Referer. Its path and query are not kept.
 * @returns lower-case, at most 253 characters; null for an absent, invalid or non-HTTP Referer
 */
export function referrerHost(referrer: string | null): string | null {
  if (referrer === null || referrer.length > MAX_LENGTH || !/^https?:/i.test(referrer)) return null
  const host = URL.parse(referrer)?.hostname ?? ''
  return host.length <= 253 && HOST.test(host) ? host : null
}

/**
 * The host of another site whose page asks for a file: that of Referer, else of Origin, where a browser sends one.
 * @param ownHosts hosts of this service, whose pages play for any site
 * @returns with a port that is not the default; null for the own pages, and without a site
 */
export function findForeignSite(headers: Headers, ownHosts: readonly (string | null)[]): string | null {
  const address = headers.get('referer') ?? headers.get('origin')
  if (address === null || address.length > MAX_LENGTH || !/^https?:/i.test(address)) return null
  const { hostname = '', host = '' } = URL.parse(address) ?? {}
  return hostname.length <= 253 && HOST.test(hostname) && !ownHosts.includes(host) ? host : null
}
