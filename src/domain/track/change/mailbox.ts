import { toAppError } from '../../../platform/errors.ts'
import { isNewer, type TrackState } from './state.ts'

/** How many tracks wait at most for a client that takes its changes slowly. */
const MAX_WAITING = 1_000
/** Tracks that are read at once. */
export const PAGE_SIZE = 500
const AWAY_MS = 500

/** A part of what the database says, for a subscriber who does not know it or may have missed some of it. */
export interface Page {
  states: TrackState[]
  /** Where the next part begins; null behind the last. */
  next: string | null
}

interface Source {
  /** States that are not final, and those that came to be since; both up to now, by pages. */
  read: (since: Date | null, after: string | null) => Promise<Page>
  /** From when on final states are wanted at first; null for none. */
  since: Date | null
  /** When the subscription began, by the database's clock. */
  began: Date
  close: () => void
}

export type Mailbox = ReturnType<typeof createMailbox>

/**
 * What one subscriber is still to be told: the newest state of each track, the one that has waited longest first. It
 * begins with what the database says, and goes back to it when changes may have been missed. A state may be told
 * twice, an older one after a newer one never. Its memory is bounded, however slow the client: what does not fit is
 * forgotten, and read when there is room.
 */
export function createMailbox({ read, since, began, close }: Source) {
  const waiting = new Map<string, TrackState>()
  /** What is being read: since when, and from where on. Null where the changes alone are enough. */
  let reading: { since: Date | null; after: string | null } | null = { since, after: null }
  /** Everything up to here was heard, or will be read. */
  let seen = since ?? began
  let failure: Error | null = null
  let isBegun = false
  let isClosed = false
  let wake = () => {}

  function put(state: TrackState): void {
    const known = waiting.get(state.trackId)
    if (!known || isNewer(state, known)) waiting.set(state.trackId, state)
    if (state.changedAt > seen) seen = state.changedAt
    if (waiting.size <= MAX_WAITING) return
    readAgain(new Date(Math.min(...[...waiting.values()].map(({ changedAt }) => changedAt.getTime()))))
    waiting.clear()
  }

  /** From its start, even where it is being read: what was missed may lie in a part that has been. */
  function readAgain(from: Date): void {
    const before = reading?.since
    reading = { since: before && before < from ? before : from, after: null }
  }

  async function readPage(page: { since: Date | null; after: string | null }): Promise<void> {
    const { states, next } = await read(page.since, page.after)
    isBegun = true
    // What was heard meanwhile is newer, and `put` keeps it.
    for (const state of states) put(state)
    if (reading === page) reading = next === null ? null : { since: page.since, after: next }
  }

  /** A database that comes back is no reason to lose a subscriber. @throws what is none */
  async function waitForDatabase(error: unknown): Promise<void> {
    if (!isBegun || toAppError(error).code !== 'unavailable') {
      end()
      throw error
    }
    await Bun.sleep(AWAY_MS)
  }

  function end(): void {
    if (isClosed) return
    isClosed = true
    waiting.clear()
    close()
    wake()
  }

  const done = { done: true as const, value: undefined }

  async function next(): Promise<IteratorResult<TrackState | Error, undefined>> {
    while (!isClosed) {
      if (failure) {
        end()
        return { done: false, value: failure }
      }
      // Before what waits, or a busy organization would never get there.
      if (reading && waiting.size <= MAX_WAITING - PAGE_SIZE) {
        await readPage(reading).catch(waitForDatabase)
        continue
      }
      const [first] = waiting.values()
      if (first) {
        waiting.delete(first.trackId)
        return { done: false, value: first }
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    return done
  }

  return {
    put: (state: TrackState) => {
      put(state)
      wake()
    },
    /** Changes may have been missed since the last that was heard. */
    resume: () => {
      readAgain(seen)
      wake()
    },
    /** Tells nothing more but this, at once. */
    fail: (error: Error) => {
      failure ??= error
      wake()
    },
    close: end,
    /** A generator would not do: its `return` waits for a change that may never come. */
    states: {
      next,
      return: async () => {
        end()
        return done
      },
      throw: async (error: unknown) => {
        end()
        throw error
      },
      [Symbol.asyncIterator]() {
        return this
      },
    } satisfies AsyncIterableIterator<TrackState | Error>,
  }
}
