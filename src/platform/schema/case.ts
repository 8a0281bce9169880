/** `preview_max_seconds` -> `previewMaxSeconds`; dots of a path stay. */
export const toCamel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** `organizationIndex` -> `organization_index`; dots of a path stay. */
export const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Values that belong to the client or are already written as the specification shows them: their keys stay. */
const opaque = new Set(['metadata', 'props', 'data', 'info', 'levels'])

/**
 * Turns the keys of a JSON value, at every depth but inside opaque values. Dates become ISO 8601 in UTC with
 * milliseconds, as JSON writes them.
 */
export function mapKeys(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, rename))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [rename(key), opaque.has(key) ? item : mapKeys(item, rename)]),
  )
}

/** What a client of /v1 sent, in camelCase. A name with a capital is none of /v1's and left out like any unknown one. */
export function readKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readKeys)
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries(value).filter(([key]) => !/[A-Z]/.test(key))
  return Object.fromEntries(known.map(([key, item]) => [toCamel(key), opaque.has(key) ? item : readKeys(item)]))
}

/** A value as JSON holds it, keys in snake_case: what events and webhooks carry. */
export const snakeJson = (value: unknown) => JSON.parse(JSON.stringify(mapKeys(value, toSnake)))
