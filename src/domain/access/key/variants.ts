import type { Transaction } from '../../../platform/db/client.ts'
import { notFound } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/schema/uuid.ts'

/** Where variants are looked for: among the organization-wide ones, and those of one track or of a collection's. */
interface Within {
  organizationId: string
  trackId?: string | null
  collectionId?: string | null
}

interface NamedVariant {
  id: string
  index: string
}

/** Whether two indexes name the same variant: case does not count (contract, section 3). */
export const isSameIndex = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/**
 * The undeleted variants that a client names, in the order of the names.
 * @param names indexes in any case, or ids
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
    ORDER BY v.id`
  return wanted.map((name) => {
    const variant = found.find(({ id, index }) => id === name || index.toLowerCase() === name)
    if (!variant) throw notFound('variants')
    return variant
  })
}
