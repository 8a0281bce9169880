/** The text of a field, without spaces around it. */
export const textOf = (fields: FormData, name: string): string => String(fields.get(name) ?? '').trim()

/** The text of a field, or null for an empty one. */
export const textOrNull = (fields: FormData, name: string): string | null => textOf(fields, name) || null

/** The time of a field of type `datetime-local`, as ISO 8601, or null for an empty one. */
export function timeOrNull(fields: FormData, name: string): string | null {
  const text = textOf(fields, name)
  return text ? new Date(text).toISOString() : null
}

/** The texts of all checked boxes with a name. */
export const textsOf = (fields: FormData, name: string): string[] => fields.getAll(name).map(String)
