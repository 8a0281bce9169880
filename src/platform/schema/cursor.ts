import { invalidInput } from '../errors.ts'

/** Encodes a position in a list. Opaque to clients, and the same in REST and GraphQL. */
export const cursorOf = (key: unknown) => Buffer.from(`after:${key}`).toString('base64url')

/**
 * Decodes the key of a cursor.
 * @param field name of the argument
 * @throws AppError `invalid_input`
 */
export function readCursor(cursor: string, field: string): string {
  const [, key] = /^after:([0-9a-f-]+)$/i.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (!key) throw invalidInput(field, 'must be a cursor of this list')
  return key
}
