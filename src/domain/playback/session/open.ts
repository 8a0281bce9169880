import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { findNamedVariants, isSameIndex, toIndexKey } from '../../access/key/variants.ts'
import { type Scope, sessionLimits, writeScope } from '../../access/viewer.ts'
import { collectionWhere } from '../../collection/service.ts'
import { oneTrackWhere } from '../../track/service.ts'
import type { CreatePlaySession } from './record.ts'
import { type PlaySessionWithLevels, withLevels } from './service.ts'

/** Limits of a key in addition to its collection and creator. */
interface KeyLimits {
  trackId: string | null
  variants: string[]
  /** Whether sessions of the key may be downloadable. */
  isDownloadable: boolean
}

/** The collection or track that a session plays. */
interface Subject {
  collectionId: string | null
  trackId: string | null
  creatorId: string | null
}

/**
 * Creates a play session for a collection or a track.
 * @throws AppError `not_found` for records that are unknown or outside the limits of the key; `forbidden`;
 *   `invalid_input`
 * @see contract, section 3
 */
export async function createPlaySession(
  ctx: Context,
  { scope: inputScope, collectionId, trackId, variants, expiresIn, ...input }: CreatePlaySession,
): Promise<PlaySessionWithLevels> {
  const scope = writeScope(ctx, ['api', 'player'])
  const { organizationId } = scope
  const session = sessionLimits(ctx, expiresIn)
  return ctx.db.$transaction(async (tx) => {
    const limits = await readKeyLimits(tx, session.keyId)
    const kind = inputScope ?? (limits.trackId === null ? 'collection' : 'track')
    const find = kind === 'track' ? findTrack : findCollection
    const subject = await find(tx, scope, limits, kind === 'track' ? trackId : collectionId)
    const indexes = await findIndexes(tx, organizationId, subject, variants)
    const isAllowed = (index: string) => limits.variants.some((allowed) => isSameIndex(allowed, index))
    if (limits.variants.length > 0 && !indexes.every(isAllowed)) throw notFound('variants')
    return tx.playSession.create({
      data: {
        ...input,
        ...subject,
        ...session,
        organizationId,
        // The ID is the credential, so it is random, unlike other IDs.
        id: crypto.randomUUID(),
        isDownloadable: input.isDownloadable && limits.isDownloadable,
        variants: indexes.length > 0 ? indexes : limits.variants,
      },
      include: withLevels,
    })
  })
}

async function readKeyLimits(tx: Transaction, keyId: string | null): Promise<KeyLimits> {
  const select = { kind: true, trackId: true, variants: true, isDownloadable: true } as const
  const apiKey = keyId === null ? null : await tx.apiKey.findUnique({ where: { id: keyId }, select })
  if (!apiKey) return { trackId: null, variants: [], isDownloadable: true }
  // Only player keys limit downloads (contract, section 2).
  return { ...apiKey, isDownloadable: apiKey.kind !== 'player' || apiKey.isDownloadable }
}

type Find = (tx: Transaction, scope: Scope, limits: KeyLimits, subjectId: string | null | undefined) => Promise<Subject>

const findTrack: Find = async (tx, scope, limits, trackId) => {
  const id = trackId ?? limits.trackId
  if (!id) throw invalidInput('trackId', 'is required')
  const within = limits.trackId === null ? {} : { id: limits.trackId }
  const where = { AND: [oneTrackWhere(scope, id), within] }
  const track = await tx.track.findFirst({ where, select: { id: true, creatorId: true } })
  if (!track) throw notFound('trackId')
  return { collectionId: null, trackId: track.id, creatorId: track.creatorId }
}

const findCollection: Find = async (tx, scope, limits, collectionId) => {
  if (limits.trackId !== null) {
    throw new AppError('forbidden', 'A key that is limited to a track may not open a collection.')
  }
  const id = collectionId ?? scope.collectionId
  if (!id) throw invalidInput('collectionId', 'is required')
  const where = { AND: [collectionWhere(scope), { id }] }
  const collection = await tx.collection.findFirst({ where, select: { id: true, creatorId: true } })
  if (!collection) throw notFound('collectionId')
  return { collectionId: collection.id, trackId: null, creatorId: collection.creatorId }
}

/** Indexes of the named variants of the organization or of the session's tracks, without duplicates, in order. */
async function findIndexes(tx: Transaction, organizationId: string, subject: Subject, names: readonly string[]) {
  if (names.length === 0) return []
  const namedVariants = await findNamedVariants(tx, { organizationId, ...subject }, names)
  return [...new Map(namedVariants.map(({ index }) => [toIndexKey(index), index])).values()]
}
