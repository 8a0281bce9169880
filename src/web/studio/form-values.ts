/** The text of a field, without spaces around it. */
export const readText = (fields: FormData, name: string): string => String(fields.get(name) ?? '').trim()

/** A password as it was typed, with spaces around it. */
export const readSecret = (fields: FormData, name: string): string => String(fields.get(name) ?? '')

/** The text of a field, or null for an empty one. */
export const textOrNull = (fields: FormData, name: string): string | null => readText(fields, name) || null

/** The time of a field of type `datetime-local`, as ISO 8601, or null for an empty one. */
export function timeOrNull(fields: FormData, name: string): string | null {
  const text = readText(fields, name)
  return text ? new Date(text).toISOString() : null
}

const MINUTE_MS = 60_000

/** A time as a field of type `datetime-local` shows it, to the minute. */
export function formatLocalTime(at: string | null | undefined): string {
  if (!at) return ''
  const time = new Date(at)
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

/** The number of a field, or null for an empty one. */
export function numberOrNull(fields: FormData, name: string): number | null {
  const text = readText(fields, name)
  return text ? Number(text) : null
}

/** The texts of all checked boxes with a name. */
export const readTexts = (fields: FormData, name: string): string[] => fields.getAll(name).map(String)
