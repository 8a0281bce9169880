/**
 * The country of a client, from the header that the CDN in front sets.
 * @param name of the header. Undefined without one
 * @returns ISO 3166-1 alpha-2 in upper case; null if unknown, which CDNs write as `XX`, and for the Tor network, `T1`
 */
export function readCountry(headers: Headers, name: string | undefined): string | null {
  const value = name === undefined ? null : headers.get(name)?.trim().toUpperCase()
  return value && /^[A-Z]{2}$/.test(value) && value !== 'XX' ? value : null
}
