import type { Transaction } from '../../../platform/db/client.ts'
import { notFound } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/uuid.ts'

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

/** Equal for equal indexes, which are compared case-insensitively (contract, section 3). As `lower(index COLLATE "C")` in SQL. */
export const toIndexKey = (index: string): string => index.toLowerCase()

export const isSameIndex = (a: string, b: string): boolean => toIndexKey(a) === toIndexKey(b)

/**
 * Returns the undeleted variants with the given indexes or IDs, in the given order. Locks those of the organization until the
 * transaction ends: one that is renamed also renames the indexes of keys and play sessions that exist then. A variant of
 * a track is not locked, and one of several with the same index is returned.
 * @param names indexes in any case, or IDs
 * @throws AppError `not_found`
 */
export async function findNamedVariants(
  tx: Transaction,
  within: Within,
  names: readonly string[],
): Promise<NamedVariant[]> {
  const lowerNames = [...new Set(names.map(toIndexKey))]
  const isNamed = (name: string) => (variant: NamedVariant) => variant.id === name || toIndexKey(variant.index) === name
  const shared = await lockShared(tx, within, lowerNames)
  const remainingNames = lowerNames.filter((name) => !shared.some(isNamed(name)))
  const variants = [...shared, ...(await findOfTracks(tx, within, remainingNames))]
  return names.map((name) => {
    const variant = variants.find(isNamed(toIndexKey(name)))
    if (!variant) throw notFound('variants')
    return variant
  })
}

/** Locks variants of the organization in the order of their IDs. */
const lockShared = (tx: Transaction, { organizationId }: Within, names: readonly string[]) =>
  tx.$queryRaw<NamedVariant[]>`
    SELECT id, index FROM variant
    WHERE organization_id = ${organizationId}::uuid AND track_id IS NULL AND deleted_at IS NULL
      AND (lower(index COLLATE "C") = ANY(${names}::text[]) OR id = ANY(${names.filter(isUuid)}::uuid[]))
    ORDER BY id FOR SHARE`

/** Finds one variant of a track for each name. */
async function findOfTracks(tx: Transaction, within: Within, names: readonly string[]): Promise<NamedVariant[]> {
  if (names.length === 0) return []
  const { organizationId, trackId = null, collectionId = null } = within
  return tx.$queryRaw<NamedVariant[]>`
    SELECT v.id, v.index FROM unnest(${names}::text[]) AS named(name) CROSS JOIN LATERAL (
      SELECT v.id, v.index FROM variant v
      WHERE v.organization_id = ${organizationId}::uuid AND v.deleted_at IS NULL
        AND (lower(v.index COLLATE "C") = name OR v.id::text = name)
        AND (v.track_id = ${trackId}::uuid OR EXISTS (
          SELECT FROM track WHERE id = v.track_id AND collection_id = ${collectionId}::uuid AND deleted_at IS NULL))
      LIMIT 1
    ) v`
}
