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
