import { AppError } from '../errors.ts'

/** Maximum numbers of statements, or of other work, at a time. */
export interface TurnLimits {
  /** Defaults to no limit of its own. */
  request?: number
  organization: number
  /** Of all organizations: the connections that they share. */
  all: number
  /** Time after which a waiting statement is refused, in milliseconds. Defaults to none. */
  waitMs?: number
}

/** Runs work when it may have one more statement at a time. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>

interface Waiting {
  start: () => void
}

interface Share {
  running: number
  waiting: Waiting[]
}

const tooBusy = () =>
  new AppError('unavailable', 'The organization has too many requests at once. Try again shortly.', {
    retryAfterSeconds: 1,
  })

export type Turns = ReturnType<typeof createTurns>

/**
 * Shares connections between organizations. The statements of an organization start in the order of their calls; when
 * all connections are in use, organizations with waiting statements take turns, so that none waits for the queue of
 * another one. A process has one, because the connections are its own.
 */
export function createTurns({
  request: maxOfRequest = Number.POSITIVE_INFINITY,
  organization: maxOfOrganization,
  all: max,
  waitMs,
}: TurnLimits) {
  /** Organizations with running or waiting statements. The next one to get a turn is the first. */
  const shares = new Map<string, Share>()
  let running = 0

  const findShare = (organization: string): Share => {
    const share = shares.get(organization) ?? { running: 0, waiting: [] }
    shares.set(organization, share)
    return share
  }

  function begin(share: Share): void {
    share.running += 1
    running += 1
  }

  function startNext(): void {
    for (const [organization, share] of shares) {
      if (running >= max) return
      const next = share.running < maxOfOrganization ? share.waiting.shift() : undefined
      if (!next) continue
      shares.delete(organization)
      shares.set(organization, share)
      begin(share)
      next.start()
    }
  }

  function enter(organization: string, signal: AbortSignal): Promise<void> | undefined {
    const share = findShare(organization)
    if (running < max && share.running < maxOfOrganization) return void begin(share)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (reason: unknown) => {
      end()
      share.waiting.splice(share.waiting.indexOf(waiting), 1)
      forget(organization, share)
      reject(reason)
    }
    const abort = () => leave(signal.reason)
    const timer = waitMs === undefined ? undefined : setTimeout(() => leave(tooBusy()), waitMs)
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    const waiting = {
      start: () => {
        end()
        resolve()
      },
    }
    signal.addEventListener('abort', abort, { once: true })
    share.waiting.push(waiting)
    return promise
  }

  async function acquire(organization: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    await enter(organization, signal)
    return () => exit(organization)
  }

  function forget(organization: string, share: Share): void {
    if (share.running === 0 && share.waiting.length === 0) shares.delete(organization)
  }

  function exit(organization: string): void {
    const share = findShare(organization)
    share.running -= 1
    running -= 1
    forget(organization, share)
    startNext()
  }

  return {
    /** Number of running statements, and of organizations that run or wait. */
    get size() {
      return { running, organizations: shares.size }
    },

    /**
     * Waits for a turn that lasts until it is released.
     * @param organization whom it counts against
     * @param signal leaves the queue; the promise then rejects with its reason
     * @returns the function that releases the turn. Must be called once
     */
    acquire,

    /**
     * Creates the function that a request runs its statements with.
     * @param organization whom the statements count against
     * @param signal removes waiting statements; `run` then rejects with its reason
     */
    ofRequest(organization: string, signal: AbortSignal): TakeTurn {
      let runningOfRequest = 0
      const queue: (() => void)[] = []
      return async (work) => {
        signal.throwIfAborted()
        if (runningOfRequest >= maxOfRequest) {
          // Its place passes on from the statement that ends.
          await new Promise<void>((resolve) => queue.push(resolve))
        } else runningOfRequest += 1
        try {
          const release = await acquire(organization, signal)
          try {
            return await work()
          } finally {
            release()
          }
        } finally {
          const next = queue.shift()
          if (next) next()
          else runningOfRequest -= 1
        }
      }
    },
  }
}
