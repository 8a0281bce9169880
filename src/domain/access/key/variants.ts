import type { Transaction } from '../../../platform/db/client.ts'
import { notFound } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/schema/uuid.ts'

/** Variants of the organization, of one track, and of the tracks of one collection. */
interface Within {
  organizationId: string
  trackId?: string | null
  collectionId?: string | null
}

interface NamedVariant {
  id: string
  index: string
}

/** Compares indexes case-insensitively (contract, section 3). */
export const isSameIndex = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/**
 * Returns the undeleted variants with the given indexes or IDs, in the given order. Locks them until the transaction ends: a
 * variant that is renamed also renames the indexes of keys and play sessions that exist then.
 * @param names indexes in any case, or IDs
 * @throws AppError `not_found`
 */
export async function findNamedVariants(
  tx: Transaction,
  { organizationId, trackId = null, collectionId = null }: Within,
  names: readonly string[],
): Promise<NamedVariant[]> {
  const wanted = names.map((name) => name.toLowerCase())
  const ids = wanted.filter(isUuid)
  const found = await tx.$queryRaw<NamedVariant[]>`
    SELECT v.id, v.index FROM variant v
    WHERE v.organization_id = ${organizationId}::uuid AND v.deleted_at IS NULL
      AND (lower(v.index COLLATE "C") = ANY(${wanted}::text[]) OR v.id = ANY(${ids}::uuid[]))
      AND (v.track_id IS NULL OR v.track_id = ${trackId}::uuid OR v.track_id IN (
        SELECT id FROM track WHERE collection_id = ${collectionId}::uuid AND deleted_at IS NULL))
    ORDER BY v.id FOR SHARE OF v`
  return wanted.map((name) => {
    const variant = found.find(({ id, index }) => id === name || index.toLowerCase() === name)
    if (!variant) throw notFound('variants')
    return variant
  })
}
