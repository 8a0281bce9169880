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

const DEFAULT_LANGUAGE = 'en'

/** Returns the language, out of those of a page, that the browser prefers (RFC 9110, 12.5.4). Defaults to English. */
export function chooseLanguage<L extends string>(
  { headers }: Request,
  languages: readonly L[],
): L | typeof DEFAULT_LANGUAGE {
  const acceptedLanguages = weighted(headers.get('accept-language')).filter(({ weight }) => weight > 0)
  for (const { value } of acceptedLanguages.toSorted((a, b) => b.weight - a.weight)) {
    const language = languages.find((name) => name === value.split('-')[0])
    if (language) return language
  }
  return DEFAULT_LANGUAGE
}
