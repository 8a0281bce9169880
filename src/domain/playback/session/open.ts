import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { parse } from '../../../platform/schema/input.ts'
import { findNamedVariants, isSameIndex } from '../../access/key/variants.ts'
import { type Scope, writeScope } from '../../access/viewer.ts'
import { collectionWhere } from '../../collection/service.ts'
import { trackWhere } from '../../track/service.ts'
import { createPlaySessionInput } from './schema.ts'
import { type PlaySessionWithLevels, withLevels } from './service.ts'

/** The limits of a key besides its collection and its creator. */
interface KeyLimits {
  trackId: string | null
  variants: string[]
  /** Whether its sessions may be downloadable. */
  isDownloadable: boolean
}

/** What a session lets listeners hear. */
interface Subject {
  collectionId: string | null
  trackId: string | null
  creatorId: string | null
}

/**
 * Opens a play session for a collection or a track: whoever knows its id may listen until it ends.
 * @param raw scope, and the collectionId or trackId of that scope; variants (indexes or ids, all that play unless told),
 *   isDownloadable, organizationIndex, metadata, expiresIn in seconds
 * @throws AppError `not_found` for what is unknown or outside the key's limits, `forbidden`, `invalid_input`
 * @see contract, section 3
 */
export async function createPlaySession(ctx: Context, raw: unknown): Promise<PlaySessionWithLevels> {
  const scope = writeScope(ctx, ['api', 'player'])
  const { scope: kind, collectionId, trackId, variants, expiresIn, ...input } = parse(createPlaySessionInput, raw)
  const { organizationId } = scope
  const createdAt = ctx.clock()
  const keyId = ctx.viewer?.type === 'key' ? ctx.viewer.keyId : null
  return ctx.db.$transaction(async (tx) => {
    const limits = await limitsOf(tx, keyId)
    const find = kind === 'track' ? findTrack : findCollection
    const subject = await find(tx, scope, limits, kind === 'track' ? trackId : collectionId)
    const indexes = await indexesOf(tx, organizationId, subject, variants)
    const isAllowed = (index: string) => limits.variants.some((allowed) => isSameIndex(allowed, index))
    if (limits.variants.length > 0 && !indexes.every(isAllowed)) throw notFound('variants')
    return tx.playSession.create({
      data: {
        ...{ ...input, ...subject, organizationId, keyId, createdAt },
        // The id is the credential: random, unlike every other id.
        id: crypto.randomUUID(),
        isDownloadable: input.isDownloadable && limits.isDownloadable,
        variants: indexes.length > 0 ? indexes : limits.variants,
        expiresAt: new Date(createdAt.getTime() + expiresIn * 1000),
      },
      include: withLevels,
    })
  })
}

async function limitsOf(tx: Transaction, keyId: string | null): Promise<KeyLimits> {
  const select = { kind: true, trackId: true, variants: true, isDownloadable: true } as const
  const found = keyId === null ? null : await tx.apiKey.findUnique({ where: { id: keyId }, select })
  if (!found) return { trackId: null, variants: [], isDownloadable: true }
  // The limit of downloads is one of player keys alone (contract, section 2).
  return { ...found, isDownloadable: found.kind !== 'player' || found.isDownloadable }
}

type Find = (tx: Transaction, scope: Scope, limits: KeyLimits, given: string | null | undefined) => Promise<Subject>

const findTrack: Find = async (tx, scope, limits, given) => {
  const id = given ?? limits.trackId
  if (!id) throw invalidInput('trackId', 'is required')
  const within = limits.trackId === null ? {} : { id: limits.trackId }
  const where = { AND: [trackWhere(scope), { id }, within] }
  const track = await tx.track.findFirst({ where, select: { id: true, creatorId: true } })
  if (!track) throw notFound('trackId')
  return { collectionId: null, trackId: track.id, creatorId: track.creatorId }
}

const findCollection: Find = async (tx, scope, limits, given) => {
  if (limits.trackId !== null) {
    throw new AppError('forbidden', 'A key that is limited to a track may not open a collection.')
  }
  const id = given ?? scope.collectionId
  if (!id) throw invalidInput('collectionId', 'is required')
  const where = { AND: [collectionWhere(scope), { id }] }
  const collection = await tx.collection.findFirst({ where, select: { id: true, creatorId: true } })
  if (!collection) throw notFound('collectionId')
  return { collectionId: collection.id, trackId: null, creatorId: collection.creatorId }
}

/** Indexes of variants of the organization or of the session's tracks, each once, in the order of their names. */
async function indexesOf(tx: Transaction, organizationId: string, subject: Subject, names: readonly string[]) {
  if (names.length === 0) return []
  const found = await findNamedVariants(tx, { organizationId, ...subject }, names)
  return [...new Map(found.map(({ index }) => [index.toLowerCase(), index])).values()]
}
