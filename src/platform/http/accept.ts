/**
 * Returns the values of Accept or Accept-Language in lower case, with their weights from 0 to 1: the order of the header,
 * 0 for "not acceptable" and for an invalid weight (RFC 9110, section 12.4.2).
 */
export function weighted(header: string | null): { value: string; weight: number }[] {
  return (header ?? '').split(',').map((part) => {
    const [value = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { value, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
}
