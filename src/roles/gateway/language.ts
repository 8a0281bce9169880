import { weighted } from '../../platform/http/accept.ts'

const DEFAULT_LANGUAGE = 'en'

/** Returns the language, out of those of a page, that the browser prefers (RFC 9110, 12.5.4). Defaults to English. */
export function chooseLanguage({ headers }: Request, languages: readonly string[]): string {
  const acceptedLanguages = weighted(headers.get('accept-language')).map(({ value, weight }) => ({
    language: value.split('-')[0] ?? '',
    weight,
  }))
  const supportedLanguages = acceptedLanguages.filter(
    ({ language, weight }) => languages.includes(language) && weight > 0,
  )
  return supportedLanguages.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? DEFAULT_LANGUAGE
}
