import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { UploadTarget } from '../../platform/identity/signing.ts'

/** Records that a cover can be uploaded for. */
type CoverTarget = Exclude<UploadTarget, 'track'>

/** The subject of the job that processes the cover. Every job belongs to an organization. */
export const coverSubjects: Record<CoverTarget, (id: string) => { trackId?: string; collectionId?: string }> = {
  'track-cover': (trackId) => ({ trackId }),
  'collection-cover': (collectionId) => ({ collectionId }),
  'organization-cover': () => ({}),
}

/** Returns the record that a cover is uploaded for; null if it is unknown or deleted. */
export async function findCoverOwner({ db }: Pick<Services, 'db'>, target: CoverTarget, id: string) {
  if (target === 'organization-cover') {
    const owner = await db.organization.findFirst({ where: { id }, select: { coverUploadedAt: true } })
    return owner && { ...owner, organizationId: id }
  }
  const undeleted = { where: { id, deletedAt: null }, select: { coverUploadedAt: true, organizationId: true } } as const
  return target === 'track-cover' ? db.track.findFirst(undeleted) : db.collection.findFirst(undeleted)
}

/**
 * Records the upload of a cover, unless the same or a newer address has been used.
 * @returns the ID of the organization; null if nothing was recorded
 */
export async function markCoverUploaded(
  tx: Transaction,
  target: CoverTarget,
  id: string,
  { now, issuedMs }: { now: Date; issuedMs: number },
): Promise<string | null> {
  const unused = { OR: [{ coverUploadedAt: null }, { coverUploadedAt: { lt: new Date(issuedMs) } }] }
  const data = { coverUploadedAt: now }
  if (target === 'organization-cover') {
    const { count } = await tx.organization.updateMany({ where: { id, ...unused }, data })
    return count === 0 ? null : id
  }
  const change = { where: { id, deletedAt: null, ...unused }, data, select: { organizationId: true } }
  const changed =
    target === 'track-cover'
      ? await tx.track.updateManyAndReturn(change)
      : await tx.collection.updateManyAndReturn(change)
  return changed[0]?.organizationId ?? null
}
