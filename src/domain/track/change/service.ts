import { z } from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import { notFound } from '../../../platform/errors.ts'
import { parse, time, uuid } from '../../../platform/schema/input.ts'
import { keepIdentified } from '../../access/sign-in/keep-identified.ts'
import { readScope, type Scope } from '../../access/viewer.ts'
import { getCollection } from '../../collection/service.ts'
import { trackWhere } from '../service.ts'
import { createMailbox, PAGE_SIZE, type Page } from './mailbox.ts'
import { CHANNEL, stateOfNotice, type TrackState, unfinished } from './state.ts'

const watchInput = z.object({ trackId: uuid.nullish(), collectionId: uuid.nullish(), since: time.nullish() })
type Watched = z.infer<typeof watchInput>

/**
 * More than a transaction may take: what is committed after a moment may be stamped so much earlier, and a client
 * knows only of what was committed.
 */
const OVERLAP_MS = 30_000

/**
 * Tells of one track, of a collection's, or of all that the viewer may see, for as long as the viewer may see them:
 * first where they are now, then every change. An error among the states is the last of them, and is for the client.
 * @param raw trackId, collectionId, since: from when on final states are told, too
 * @throws AppError `unauthenticated`, `forbidden`, `not_found`, `invalid_input`, `rate_limited`, `unavailable`
 */
export async function watchTracks(ctx: Context, raw: unknown): Promise<AsyncIterableIterator<TrackState | Error>> {
  const scope = readScope(ctx)
  const watched = parse(watchInput, raw)
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
  // Heard from here on; read only afterwards, so that nothing lies in between.
  endings.push(
    await ctx.notifications.subscribe({
      ...{ channel: CHANNEL, ...narrowest(scope, watched), holder: holderOf(ctx) },
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
  const where = { AND: [trackWhere(scope), { id: trackId, ...(collectionId && { collectionId }) }] }
  if (!(await ctx.db.track.findFirst({ where, select: { id: true } }))) throw notFound('trackId')
}

/** Under which field of a notice the fewest of others' are heard. */
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

const holderOf = ({ viewer }: Context) => (viewer?.type === 'key' ? viewer.keyId : (viewer?.administratorId ?? ''))

const shown = {
  ...{ id: true, organizationId: true, collectionId: true, creatorId: true },
  ...{ status: true, progress: true, statusChangedAt: true, deletedAt: true },
} as const

/** Tracks by their ids, so that a page is found again whatever changes meanwhile. */
async function readStates(
  { db }: Context,
  scope: Scope,
  { trackId, collectionId }: Watched,
  since: Date | null,
  after: string | null,
): Promise<Page> {
  const { deletedAt: _, ...ofViewer } = trackWhere(scope)
  const isWanted: Prisma.TrackWhereInput[] = [{ status: { in: [...unfinished] }, deletedAt: null }]
  if (since) isWanted.push({ statusChangedAt: { gte: new Date(since.getTime() - OVERLAP_MS) } })
  const asked = trackId ? { id: trackId } : { OR: isWanted }
  const rows = await db.track.findMany({
    where: { AND: [ofViewer, asked, collectionId ? { collectionId } : {}, after ? { id: { gt: after } } : {}] },
    orderBy: { id: 'asc' },
    take: PAGE_SIZE,
    select: shown,
  })
  const states = rows.map(({ id, statusChangedAt, deletedAt, ...rest }) => ({
    ...{ ...rest, trackId: id, changedAt: statusChangedAt, isDeleted: deletedAt !== null },
  }))
  return { states, next: rows.length < PAGE_SIZE ? null : (rows.at(-1)?.id ?? null) }
}
