import type { Context } from '../../platform/context.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import type { AppError } from '../../platform/errors.ts'
import { toAppError } from '../../platform/errors.ts'
import { createLiveItems } from '../../platform/live-items.ts'
import { CHANNEL, computePercent, isFinal, type TrackState } from '../track/change/state.ts'
import { getUploadSession } from './service.ts'

/** State of a track of an upload session: what a person who has only the session may see. */
export interface SessionTrack {
  trackId: string
  fileName: string
  status: TrackStatus
  statusCode: string | null
  statusText: string | null
  /** Percent. 100 exactly when no further change follows. */
  progress: number
  isFinal: boolean
  isDeleted: boolean
}

/** Tracks of a session that are shown without a change. */
export const MAX_SESSION_TRACKS = 500
/** Pause between attempts while the database is unavailable. */
const RETRY_MS = 500

const stateColumns = {
  id: true,
  organizationId: true,
  collectionId: true,
  creatorId: true,
  fileName: true,
  statusCode: true,
  statusText: true,
  status: true,
  progress: true,
  statusChangedAt: true,
  deletedAt: true,
} as const

/**
 * Returns the newest tracks of a session, newest first.
 * @param where which of them. Defaults to those that are not deleted
 */
export async function readSessionTracks(
  { db }: Pick<Context, 'db'>,
  uploadSessionId: string,
  where: Prisma.TrackWhereInput = { deletedAt: null },
): Promise<SessionTrack[]> {
  const rows = await db.track.findMany({
    where: { ...where, uploadSessionId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MAX_SESSION_TRACKS,
    select: stateColumns,
  })
  return rows.map(({ id: trackId, statusChangedAt: changedAt, deletedAt, ...row }) => {
    const state: TrackState = { ...row, trackId, changedAt, isDeleted: deletedAt !== null }
    const { fileName, status, statusCode, statusText } = row
    const shownState = { progress: computePercent(state), isFinal: isFinal(state), isDeleted: state.isDeleted }
    return { trackId, fileName, status, statusCode, statusText, ...shownState }
  })
}

/**
 * Streams the states of the tracks of a session: first the current ones, then every change. The ID of the session is the
 * credential. An error in the stream is its last item, meant for the client: `expired` at the end of the session.
 * @throws AppError `not_found`, `expired`, `rate_limited`, `unavailable`
 */
export async function followSession(
  ctx: Context,
  sessionId: string,
): Promise<AsyncIterableIterator<SessionTrack | AppError, undefined>> {
  const session = await getUploadSession(ctx, sessionId)
  /** Tracks to read. Null for all. */
  let changedIds: Set<string> | null = null
  const notice = (trackId: string | null) => {
    if (trackId === null || (changedIds?.size ?? 0) >= MAX_SESSION_TRACKS) changedIds = null
    else changedIds?.add(trackId)
    live.wake()
  }
  const waiting: SessionTrack[] = []
  /** States as they were sent, by track: a change that shows nothing new is left out. */
  const sentStates = new Map<string, string>()

  /** Reads the tracks that changed, deleted ones included: a client may wait for one. While the database is unavailable, tries again. */
  async function read(): Promise<void> {
    const ids = changedIds
    changedIds = new Set()
    try {
      waiting.push(...(await readSessionTracks(ctx, sessionId, ids ? { id: { in: [...ids] } } : {})))
    } catch (error) {
      changedIds = null
      if (toAppError(error).code !== 'unavailable') throw error
      await Bun.sleep(RETRY_MS)
    }
  }

  /** Returns the next state that shows something new. */
  function shift(): SessionTrack | undefined {
    for (let track = waiting.shift(); track; track = waiting.shift()) {
      const state = JSON.stringify(track)
      if (sentStates.get(track.trackId) === state) continue
      if (sentStates.size >= MAX_SESSION_TRACKS) sentStates.clear()
      sentStates.set(track.trackId, state)
      return track
    }
  }

  const isReadDue = () => waiting.length === 0 && (changedIds === null || changedIds.size > 0)
  const resources = new DisposableStack()
  const live = createLiveItems<SessionTrack, AppError>({
    read: () => (isReadDue() ? read() : null),
    shift,
    close: () => resources.dispose(),
  })
  const unsubscribe = await ctx.notifications.subscribe({
    channel: CHANNEL,
    field: 'session',
    value: sessionId,
    owner: sessionId,
    listener: { hear: ({ track }) => notice(String(track)), resume: () => notice(null) },
  })
  resources.defer(unsubscribe)
  resources.defer(keepSession(ctx, session, live.fail))
  ctx.signal?.addEventListener('abort', live.end, { once: true })
  resources.defer(() => ctx.signal?.removeEventListener('abort', live.end))
  if (ctx.signal?.aborted) live.end()
  return live.items
}

/** Checks a session at the configured interval and at its end. @returns a function that stops the checks */
function keepSession(ctx: Context, session: { id: string; expiresAt: Date }, refuse: (error: AppError) => void) {
  let isEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const schedule = (expiresAt: Date) => {
    const remainingMs = Math.max(0, expiresAt.getTime() - ctx.clock().getTime())
    if (!isEnded) timer = setTimeout(check, Math.min(ctx.config.subscriptionCheckSeconds * 1000, remainingMs + 1))
  }
  async function check(): Promise<void> {
    try {
      schedule((await getUploadSession(ctx, session.id)).expiresAt)
    } catch (error) {
      const refusal = toAppError(error)
      if (refusal.code === 'not_found' || refusal.code === 'expired') return refuse(refusal)
      ctx.log.warn({ err: error }, 'checking an upload session again failed')
      schedule(new Date(ctx.clock().getTime() + RETRY_MS))
    }
  }
  schedule(session.expiresAt)
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}
