/** `preview_max_seconds` -> `previewMaxSeconds`. Dots of a path are kept. */
export const toCamel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** `organizationIndex` -> `organization_index`. Dots of a path are kept. */
export const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Values that belong to the client or already have the specified keys. Their keys are kept. */
const opaque = new Set(['metadata', 'props', 'data', 'info', 'levels'])

/**
 * Renames the keys of a JSON value at every depth except inside opaque values. Dates become ISO 8601 in UTC with
 * milliseconds, as JSON writes them.
 */
export function mapKeys(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, rename))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [rename(key), opaque.has(key) ? item : mapKeys(item, rename)]),
  )
}

/** Converts a /v1 client's value to camelCase. A name with a capital is not of /v1 and dropped like any unknown one. */
export function readKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readKeys)
  if (typeof value !== 'object' || value === null) return value
  const snakeEntries = Object.entries(value).filter(([key]) => !/[A-Z]/.test(key))
  return Object.fromEntries(snakeEntries.map(([key, item]) => [toCamel(key), opaque.has(key) ? item : readKeys(item)]))
}

/** Converts a value to JSON with keys in snake_case, as in events and webhooks. */
export const snakeJson = (value: unknown) => JSON.parse(JSON.stringify(mapKeys(value, toSnake)))
