import type { Order, Place } from '../db/query/plan.ts'
import { invalidInput } from '../errors.ts'
import { CURSOR_TAG_LENGTH, type Signing } from '../identity/signing.ts'

/** A list, as its cursors are bound to it. */
export interface List {
  /** Null for a client without a credential. */
  organizationId: string | null
  /** Stable name, the same in REST and GraphQL: the type and field of GraphQL. */
  name: string
  orderBy: readonly Order[]
  /** The record that a list of its own belongs to, unless the cursors contain it. */
  parentId?: string
}

export type Cursors = ReturnType<typeof listCursors>

/**
 * Returns the cursors of a list (contract, section 1). They are opaque to clients. A cursor contains the ordered values
 * of a record, not its key alone: a list continues from it after its record was deleted, and no record is read for it.
 * It is valid only for its list, as its tag proves.
 */
export function listCursors(signing: Pick<Signing, 'cursorTag' | 'isCursorTag'>, list: List) {
  const { organizationId, name, orderBy, parentId = null } = list
  const bound = JSON.stringify([organizationId, name, orderBy, parentId])

  /** Returns the place of a cursor. Null for any that is not a cursor of this list. */
  function find(cursor: string): Place | null {
    const [tag, body] = [cursor.slice(0, CURSOR_TAG_LENGTH), cursor.slice(CURSOR_TAG_LENGTH)]
    if (!signing.isCursorTag(bound, body, tag)) return null
    return JSON.parse(Buffer.from(body, 'base64url').toString())
  }

  return {
    mint(place: Place): string {
      const body = Buffer.from(JSON.stringify(place)).toString('base64url')
      return signing.cursorTag(bound, body) + body
    },
    find,
    /** @param field name of the argument @throws AppError `invalid_input` */
    read(cursor: string, field: string): Place {
      const place = find(cursor)
      if (!place) throw notACursor(field)
      return place
    },
  }
}

/** Rule for cursors. The same for all that are not valid, so that it shows nothing of any record. */
export const CURSOR_RULE = 'must be a cursor of this list'
export const notACursor = (field: string) => invalidInput(field, CURSOR_RULE)
