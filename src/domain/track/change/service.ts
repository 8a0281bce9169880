import { z } from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import { notFound } from '../../../platform/errors.ts'
import { timeRule, uuidRule } from '../../../platform/schema/rules.ts'
import { keepIdentified } from '../../access/sign-in/keep-identified.ts'
import { readScope, type Scope } from '../../access/viewer.ts'
import { getCollection } from '../../collection/service.ts'
import { oneTrackWhere, trackWhere } from '../service.ts'
import { unfinishedStates } from '../states.ts'
import { createMailbox, PAGE_SIZE, type StatePage } from './mailbox.ts'
import { CHANNEL, stateOfNotice, type TrackState } from './state.ts'

export const watchInput = z.object({
  trackId: uuidRule.optional(),
  collectionId: uuidRule.optional(),
  since: timeRule.optional(),
})
type Watched = z.output<typeof watchInput>

/**
 * Longer than any transaction: `changedAt` is set before the commit, so that a change that became visible after `since`
 * may have an earlier time.
 */
const OVERLAP_MS = 30_000

/**
 * Streams the states of one track, of the tracks of a collection, or of all tracks that the viewer may see: first the
 * current ones, then every change. An error in the stream is its last item, meant for the client.
 * @param watched `since` adds the final states and deletions since then
 * @throws AppError `unauthenticated`, `forbidden`, `not_found`, `invalid_input`, `rate_limited`, `unavailable`
 */
export async function watchTracks(ctx: Context, watched: Watched): Promise<AsyncIterableIterator<TrackState | Error>> {
  const scope = readScope(ctx)
  await checkVisible(ctx, scope, watched)
  const { rows } = await ctx.pool.query<{ now: Date }>('SELECT now()')
  const matches = isVisible(scope, watched)
  const endings: (() => void)[] = []
  const mailbox = createMailbox({
    read: (since, after) => readStates(ctx, scope, watched, since, after),
    since: watched.since ?? null,
    began: rows[0]?.now ?? ctx.clock(),
    close: () => {
      for (const end of endings) end()
    },
  })
  // Subscribes before the first read, so that no change is missed in between.
  endings.push(
    await ctx.notifications.subscribe({
      channel: CHANNEL,
      ...narrowest(scope, watched),
      owner: findSubscriptionOwner(ctx),
      listener: {
        hear: (notice) => {
          const state = stateOfNotice(notice)
          if (matches(state)) mailbox.put(state)
        },
        resume: mailbox.resume,
      },
    }),
  )
  endings.push(keepIdentified(ctx, mailbox.fail))
  ctx.signal?.addEventListener('abort', mailbox.close, { once: true })
  endings.push(() => ctx.signal?.removeEventListener('abort', mailbox.close))
  if (ctx.signal?.aborted) mailbox.close()
  return mailbox.states
}

async function checkVisible(ctx: Context, scope: Scope, { trackId, collectionId }: Watched): Promise<void> {
  if (collectionId) await getCollection(ctx, collectionId)
  if (!trackId) return
  const where = { AND: [oneTrackWhere(scope, trackId), collectionId ? { collectionId } : {}] }
  if (!(await ctx.db.track.findFirst({ where, select: { id: true } }))) throw notFound('trackId')
}

/** Returns the most selective field of a notice that all wanted notices have in common. */
function narrowest(scope: Scope, { trackId, collectionId }: Watched): { field: string; value: string } {
  if (trackId) return { field: 'track', value: trackId }
  const collection = collectionId ?? scope.collectionId
  if (collection) return { field: 'collection', value: collection }
  if (scope.creatorId) return { field: 'creator', value: scope.creatorId }
  return { field: 'organization', value: scope.organizationId }
}

const isVisible =
  (scope: Scope, { trackId, collectionId }: Watched) =>
  (state: TrackState): boolean =>
    state.organizationId === scope.organizationId &&
    (!scope.collectionId || state.collectionId === scope.collectionId) &&
    (!scope.creatorId || state.creatorId === scope.creatorId) &&
    (!collectionId || state.collectionId === collectionId) &&
    (!trackId || state.trackId === trackId)

/** The subscriptions of one key or administrator are counted together. */
const findSubscriptionOwner = ({ viewer }: Context) =>
  viewer?.type === 'key' ? viewer.keyId : (viewer?.administratorId ?? '')

const stateColumns = {
  id: true,
  organizationId: true,
  collectionId: true,
  creatorId: true,
  status: true,
  progress: true,
  statusChangedAt: true,
  deletedAt: true,
} as const

/** Reads a page of states. Orders by id, so that changes between two pages move no track to another page. */
async function readStates(
  { db }: Context,
  scope: Scope,
  { trackId, collectionId }: Watched,
  since: Date | null,
  after: string | null,
): Promise<StatePage> {
  const { deletedAt: _, collection: __, ...inScope } = trackWhere(scope)
  const anyOf: Prisma.TrackWhereInput[] = [{ status: { in: unfinishedStates }, deletedAt: null }]
  if (since) anyOf.push({ statusChangedAt: { gte: new Date(since.getTime() - OVERLAP_MS) } })
  const requested = trackId ? { id: trackId } : { OR: anyOf }
  const rows = await db.track.findMany({
    where: { AND: [inScope, requested, collectionId ? { collectionId } : {}, after ? { id: { gt: after } } : {}] },
    orderBy: { id: 'asc' },
    take: PAGE_SIZE,
    select: stateColumns,
  })
  const states = rows.map(({ id, statusChangedAt, deletedAt, ...rest }) => ({
    ...rest,
    trackId: id,
    changedAt: statusChangedAt,
    isDeleted: deletedAt !== null,
  }))
  return { states, next: rows.length < PAGE_SIZE ? null : (rows.at(-1)?.id ?? null) }
}
