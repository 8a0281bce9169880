import { toAppError } from '../../../platform/errors.ts'
import { createLiveItems } from '../../../platform/live-items.ts'
import { isNewer, type TrackState } from './state.ts'

/** Maximum number of tracks that wait for a slow client. */
const MAX_WAITING = 1_000
/** Tracks per page. */
export const PAGE_SIZE = 500
/** Pause between attempts while the database is unavailable. */
const RETRY_MS = 500

/** A page of states from the database. */
export interface StatePage {
  states: TrackState[]
  /** ID after which the next page starts. Null for the last page. */
  next: string | null
}

interface Source {
  /** Reads a page of the current states: those that are not final, and those that changed since a time. */
  read: (since: Date | null, after: string | null) => Promise<StatePage>
  /** Time from which the first read includes final states. Null for none. */
  since: Date | null
  /** Start of the subscription, by the database's clock. */
  began: Date
  close: () => void
}

export type Mailbox = ReturnType<typeof createMailbox>

/**
 * Queues the states for one subscriber: the newest state of each track, the one that has waited longest first.
 *
 * - It starts with the states in the database, and reads them again when notices may have been missed.
 * - The same state may be sent twice. An older state is never sent after a newer one.
 * - Memory is bounded for slow clients: when too many tracks wait, it drops them and reads them again later.
 */
export function createMailbox({ read, since, began, close }: Source) {
  const waiting = new Map<string, TrackState>()
  /** The current read: changes since a time, after an ID. Null when notices suffice. */
  let reading: { since: Date | null; after: string | null } | null = { since, after: null }
  /** All changes up to this time were received or will be read. */
  let seen = since ?? began
  let isBegun = false

  function put(state: TrackState): void {
    const waitingState = waiting.get(state.trackId)
    if (!waitingState || isNewer(state, waitingState)) waiting.set(state.trackId, state)
    if (state.changedAt > seen) seen = state.changedAt
    if (waiting.size <= MAX_WAITING) return
    readAgain(new Date(Math.min(...[...waiting.values()].map(({ changedAt }) => changedAt.getTime()))))
    waiting.clear()
  }

  /** Restarts at the first page: a missed change may be in a page that was read already. */
  function readAgain(from: Date): void {
    const before = reading?.since
    reading = { since: before && before < from ? before : from, after: null }
  }

  async function readPage(page: { since: Date | null; after: string | null }): Promise<void> {
    const { states, next } = await read(page.since, page.after)
    isBegun = true
    // Notices during the read may be newer; `put` keeps them.
    for (const state of states) put(state)
    if (reading === page) reading = next === null ? null : { since: page.since, after: next }
  }

  /** Waits while the database is unavailable. @throws any other error, and any error of the first read */
  async function waitForDatabase(error: unknown): Promise<void> {
    if (!isBegun || toAppError(error).code !== 'unavailable') throw error
    await Bun.sleep(RETRY_MS)
  }

  const { items, wake, fail, end } = createLiveItems<TrackState>({
    // Reads before it sends, or a busy organization would never finish reading.
    read: () => (reading && waiting.size <= MAX_WAITING - PAGE_SIZE ? readPage(reading).catch(waitForDatabase) : null),
    shift() {
      const [first] = waiting.values()
      if (first) waiting.delete(first.trackId)
      return first
    },
    close() {
      waiting.clear()
      close()
    },
  })

  return {
    put: (state: TrackState) => {
      put(state)
      wake()
    },
    /** Reads again from the last change that was received, after a lost connection. */
    resume: () => {
      readAgain(seen)
      wake()
    },
    /** Ends the stream with this error, before all states that wait. */
    fail,
    close: end,
    states: items,
  }
}
