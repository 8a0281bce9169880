import { weighted } from '../../platform/http/accept.ts'

const DEFAULT_LANGUAGE = 'en'

/** Returns the language, out of those of a page, that the browser prefers (RFC 9110, 12.5.4). Defaults to English. */
export function languageOf({ headers }: Request, languages: readonly string[]): string {
  const asked = weighted(headers.get('accept-language')).map(({ value, weight }) => ({
    language: value.split('-')[0] ?? '',
    weight,
  }))
  const known = asked.filter(({ language, weight }) => languages.includes(language) && weight > 0)
  return known.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? DEFAULT_LANGUAGE
}
