import type { Order, Place } from '../db/query/plan.ts'
import { invalidInput } from '../errors.ts'
import type { Signing } from '../identity/signing.ts'

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
 * It is encrypted and authenticated for its list.
 */
export function listCursors(signing: Pick<Signing, 'sealCursor' | 'unsealCursor'>, list: List) {
  const { organizationId, name, orderBy, parentId = null } = list
  const bound = JSON.stringify([organizationId, name, orderBy, parentId])

  /** Returns the place of a cursor. Null for any that is not a cursor of this list. */
  function find(cursor: string): Place | null {
    const body = signing.unsealCursor(bound, cursor)
    return body === null ? null : JSON.parse(body)
  }

  return {
    /** The same place has the same cursor. */
    mint: (place: Place): string => signing.sealCursor(bound, JSON.stringify(place)),
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
