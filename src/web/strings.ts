import strings from './strings.json'

type Texts = (typeof strings)['en']

/** Name of a text of `strings.json`, such as `studio.save`. */
export type TextName = { [Area in keyof Texts]: `${Area}.${keyof Texts[Area] & string}` }[keyof Texts]

/** Language of the page, as the gateway wrote it. */
export const language = globalThis.document?.documentElement.lang === 'de' ? 'de' : 'en'
const texts: Record<string, Record<string, string>> = strings[language]

/**
 * Returns a text in the language of the page.
 * @param values by the name of their placeholder in the text, as in `{count}`
 */
export function t(name: TextName, values: Record<string, string | number> = {}): string {
  const [area = '', key = ''] = name.split('.')
  const text = texts[area]?.[key] ?? name
  return text.replace(/\{(\w+)\}/g, (placeholder, value: string) => String(values[value] ?? placeholder))
}

/**
 * Returns the text of a stable code of the service: of an error (`problem`), of a track that is not ready (`reason`), or of a kind
 * of device (`device`).
 * @param fallback text of the service, which is in English, for other codes
 */
export const textOfCode = (area: 'problem' | 'reason' | 'device', code: string | null, fallback: string): string =>
  texts[area]?.[code ?? ''] ?? fallback

/** Returns why a track or file is not ready, or a note about it, for a person. Null without one. */
export const formatReason = (of: { statusCode?: string | null; statusText?: string | null }): string | null =>
  of.statusText ? textOfCode('reason', of.statusCode ?? null, of.statusText) : null

/** A date and time, or only the date, in the language of the page. @param at ISO 8601 */
export const formatDate = (at: string, withTime = true) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', ...(withTime && { timeStyle: 'short' }) }).format(
    new Date(at),
  )

export const formatNumber = (value: number, options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat(language, options).format(value)

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** A size in the largest unit in which it is at least 1. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const style = { style: 'unit', unit: UNITS[power], unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return formatNumber(bytes / 1000 ** power, style)
}

/** A length as `4:05` or `1:04:05`. */
export function formatClock(seconds: number): string {
  const whole = Math.floor(seconds)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const pad = (part: number) => String(part).padStart(2, '0')
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`
}

/** A length in words, as `11 min`, of a list in which seconds do not matter. */
export function formatLength(seconds: number): string {
  const part = (value: number, unit: string) => formatNumber(value, { style: 'unit', unit, unitDisplay: 'short' })
  if (seconds < 60) return part(Math.round(seconds), 'second')
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return hours > 0 ? `${part(hours, 'hour')} ${part(minutes % 60, 'minute')}` : part(minutes, 'minute')
}
