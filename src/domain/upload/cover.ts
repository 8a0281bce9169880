import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { notFound } from '../../platform/errors.ts'
import type { CoverTarget, UploadGrant } from '../../platform/identity/signing.ts'
import type { Incoming } from '../../platform/storage/storage.ts'
import { REPLACED_KEPT_MS } from '../processing/put-file.ts'
import { queueCoverProcessing } from '../processing/queue/queue.ts'
import { reserveKeys } from '../processing/run/store.ts'
import { discard } from '../track/file/bytes.ts'
import { nameStored } from './complete.ts'
import { alreadyCompleted } from './open.ts'
import { retryWhileUnavailable } from './retry.ts'

/** A permission to upload a cover. */
export type CoverGrant = UploadGrant & { target: CoverTarget }

/** Whether an address takes a cover, not the recording of a track. */
export const isForCover = (grant: UploadGrant): grant is CoverGrant =>
  grant.target !== 'track' && grant.target !== 'track-parts'

/** The subject of the job that processes the cover. Every job belongs to an organization. */
const coverSubjects: Record<CoverTarget, (id: string) => { trackId?: string; collectionId?: string }> = {
  'track-cover': (trackId) => ({ trackId }),
  'collection-cover': (collectionId) => ({ collectionId }),
  'organization-cover': () => ({}),
}

/**
 * Returns the record that an address takes a cover for.
 * @throws AppError `not_found` if it is unknown or deleted; `upload_completed` if this or a newer address has been used
 */
export async function findOpenCoverOwner(db: Pick<Services['db'], CoverTable>, { target, id, issuedMs }: CoverGrant) {
  const owner = await findOwner(db, target, id)
  if (!owner) throw notFound('uploadUrl')
  if (owner.coverIssuedAt && owner.coverIssuedAt.getTime() >= issuedMs) throw alreadyCompleted()
  return owner
}

type CoverTable = 'track' | 'collection' | 'organization'

async function findOwner(db: Pick<Services['db'], CoverTable>, target: CoverTarget, id: string) {
  const cover = { id: true, coverIssuedAt: true, coverSourceKey: true } as const
  if (target === 'organization-cover') {
    const owner = await db.organization.findFirst({ where: { id }, select: cover })
    return owner && { ...owner, organizationId: id }
  }
  const undeleted = { where: { id, deletedAt: null }, select: { ...cover, organizationId: true } } as const
  return target === 'track-cover' ? db.track.findFirst(undeleted) : db.collection.findFirst(undeleted)
}

/**
 * Makes received bytes the picture that a cover is made from. The object exists before the transaction begins. The
 * picture that it replaces is removed later, because a job may still read it.
 * @throws AppError `upload_completed`, `not_found`; StorageError
 */
export async function completeCover(services: Services, grant: CoverGrant, incoming: Incoming): Promise<void> {
  const { key } = incoming
  const { target, id } = grant
  await retryWhileUnavailable(services, () => reserveKeys(services, [key]))
  await incoming.commit()
  const isNamed = async (tx: Transaction) => (await findOwner(tx, target, id))?.coverSourceKey === key
  await nameStored(services, key, isNamed, async (tx) => {
    const owner = await findOpenCoverOwner(tx, grant)
    const now = services.clock()
    // Compared with other addresses by the clock that issued them: that of this process may differ.
    const data = { coverUploadedAt: now, coverIssuedAt: new Date(grant.issuedMs), coverSourceKey: key }
    // Fails when a concurrent upload has been accepted since the row was read.
    if (!(await updateOwner(tx, target, { id, coverSourceKey: owner.coverSourceKey }, data))) throw alreadyCompleted()
    if (owner.coverSourceKey) await discard(tx, [owner.coverSourceKey], new Date(now.getTime() + REPLACED_KEPT_MS))
    await queueCoverProcessing(tx, owner.organizationId, coverSubjects[target](id))
  })
}

/** @returns whether the row was changed */
async function updateOwner(
  tx: Transaction,
  target: CoverTarget,
  where: { id: string; coverSourceKey: string | null },
  data: { coverUploadedAt: Date; coverIssuedAt: Date; coverSourceKey: string },
): Promise<boolean> {
  const undeleted = { where: { ...where, deletedAt: null }, data }
  const { count } =
    target === 'organization-cover'
      ? await tx.organization.updateMany({ where, data })
      : target === 'track-cover'
        ? await tx.track.updateMany(undeleted)
        : await tx.collection.updateMany(undeleted)
  return count > 0
}
