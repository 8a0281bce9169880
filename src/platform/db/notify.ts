import { escapeIdentifier, type PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { withoutOrigin } from '../origin.ts'
import { Connection } from './connection.ts'

/** Payload of a notification: the JSON object that a trigger passed to `pg_notify`. */
export type Notice = Record<string, unknown>

/** Callbacks of a subscriber. They must not throw or take long, because all subscribers wait for them. */
export interface Listener {
  hear: (notice: Notice) => void
  /** The connection was lost and is back. Notifications in between are lost, so the state has to be read. */
  resume: () => void
}

export interface Subscription {
  channel: string
  /** Notices whose field has this value. */
  field: string
  value: string
  /** Owner of the subscription, for the limit per owner. */
  owner: string
  listener: Listener
}

export interface NotifyOptions {
  /** Maximum number of subscriptions of the process, and of one owner. */
  maxTotal?: number
  maxPerOwner?: number
  /** Interval of heartbeats, and timeout of an answer. */
  heartbeatMs?: number
  answerMs?: number
}

interface Listening {
  /** Runs statements in sequence. */
  say: (text: string) => Promise<unknown>
  end: () => Promise<void>
}

export type Notifications = ReturnType<typeof createNotifications>

const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000
const PARTING_MS = 1_000

/**
 * Distributes notifications of PostgreSQL (NOTIFY) to subscribers. The first subscription opens one connection, which
 * all subscribers of the process share, so each process receives the commits of all others.
 * @param database settings of a separate connection, because pooled ones cannot listen
 */
export function createNotifications(
  database: PoolConfig,
  log: Logger,
  { maxTotal = 5_000, maxPerOwner = 100, heartbeatMs = 30_000, answerMs = 10_000 }: NotifyOptions = {},
) {
  const listeners = new Map<string, Set<Listener>>()
  const countByOwner = new Map<string, number>()
  const channels = new Set<string>()
  let total = 0
  const ending = new AbortController()
  let wasLost = false
  let connection: Promise<Listening> | null = null
  let retry: ReturnType<typeof setTimeout> | undefined

  const everyone = () => [...listeners.values()].flatMap((group) => [...group])

  async function open(): Promise<Listening> {
    const client = new Connection({ ...database, keepAlive: true, answerTimeoutMs: answerMs, statement_timeout: 0 })
    let last: Promise<unknown> = Promise.resolve()
    const say: Listening['say'] = (text) => {
      last = last.catch(() => {}).then(() => client.query(text))
      return last
    }
    // The `end` event follows every error.
    client.on('error', () => {})
    client.on('notification', ({ channel, payload = '' }) => tell(channel, payload))
    try {
      await client.connect()
      for (const channel of channels) await say(listenTo(channel))
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    const heartbeat = setInterval(() => say('SELECT 1').catch(lost), heartbeatMs)
    heartbeat.unref()
    client.once('end', lost)
    let isLost = false
    function lost(): void {
      if (isLost) return
      isLost = true
      clearInterval(heartbeat)
      client.removeAllListeners('notification')
      // Not awaited: the server may not answer.
      client.end().catch(() => {})
      if (ending.signal.aborted) return
      log.warn('the connection that listens for changes was lost')
      wasLost = true
      connection = null
      again(FIRST_RETRY_MS)
    }
    if (wasLost) for (const listener of everyone()) listener.resume()
    wasLost = false
    return { say, end: () => client.end() }
  }

  /** Returns the open or opening connection. After a failure the next call tries again. */
  function connected(): Promise<Listening> {
    // All subscribers share it.
    connection ??= withoutOrigin(open).catch((error) => {
      connection = null
      throw error
    })
    return connection
  }

  function again(delayMs: number): void {
    retry = setTimeout(() => {
      connected().catch((error) => {
        log.debug({ err: error }, 'the connection that listens for changes could not be opened')
        if (!ending.signal.aborted) again(Math.min(2 * delayMs, MAX_RETRY_MS))
      })
    }, delayMs)
  }

  function tell(channel: string, payload: string): void {
    const notice = readNotice(payload)
    for (const [field, value] of Object.entries(notice)) {
      if (typeof value !== 'string') continue
      for (const listener of listeners.get(toSubscriptionKey({ channel, field, value })) ?? []) listener.hear(notice)
    }
  }

  /**
   * Counts a subscription.
   * @returns gives the place back; may be called twice
   * @throws AppError `rate_limited`, `unavailable`
   */
  function reserve(owner: string): () => void {
    if (ending.signal.aborted)
      throw new AppError('unavailable', 'The service is stopping. Try again.', { retryAfterSeconds: 1 })
    const ownerCount = countByOwner.get(owner) ?? 0
    if (ownerCount >= maxPerOwner) {
      throw new AppError('rate_limited', `At most ${maxPerOwner} subscriptions may be open at once.`)
    }
    if (total >= maxTotal) {
      throw new AppError('unavailable', 'Too many subscriptions are open. Try again shortly.', { retryAfterSeconds: 5 })
    }
    countByOwner.set(owner, ownerCount + 1)
    total += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const remainingCount = (countByOwner.get(owner) ?? 1) - 1
      if (remainingCount > 0) countByOwner.set(owner, remainingCount)
      else countByOwner.delete(owner)
      total -= 1
    }
  }

  /** @returns removes the listener; may be called twice */
  function add({ listener, ...subscription }: Subscription): () => void {
    const key = toSubscriptionKey(subscription)
    const group = listeners.get(key) ?? new Set()
    listeners.set(key, group.add(listener))
    return () => {
      group.delete(listener)
      if (group.size === 0 && listeners.get(key) === group) listeners.delete(key)
    }
  }

  return {
    /** Number of open subscriptions. */
    count: () => total,

    /**
     * Notifies the listener of what is committed after this returns, and of nothing that was committed before the call.
     * A caller that reads afterwards misses nothing in between.
     * @returns ends the subscription; may be called twice
     * @throws AppError `rate_limited` for too many of one owner, `unavailable` for too many of all; the error of the
     *   database where it cannot be reached
     */
    async subscribe(subscription: Subscription): Promise<() => void> {
      const release = reserve(subscription.owner)
      try {
        channels.add(subscription.channel)
        // Repeated for each subscription: another one may have sent it, but not have its answer yet.
        await (await connected()).say(listenTo(subscription.channel))
      } catch (error) {
        release()
        throw error
      }
      const remove = add(subscription)
      return () => {
        remove()
        release()
      }
    },

    /** Fires when no more notifications will arrive in this process. Subscribers have to reconnect. */
    ending: ending.signal,

    /** Closes the connection and rejects further subscriptions. */
    async end(): Promise<void> {
      ending.abort(new Error('the process stops'))
      clearTimeout(retry)
      const closed = connection?.then((open) => open.end()).catch(() => {})
      // Does not wait for an unresponsive database.
      await Promise.race([closed, Bun.sleep(PARTING_MS)])
    },
  }
}

/** Returns {} for a malformed payload; any database client can NOTIFY. */
function readNotice(payload: string): Notice {
  try {
    return Object(JSON.parse(payload)) as Notice
  } catch {
    return {}
  }
}

const toSubscriptionKey = ({ channel, field, value }: Pick<Subscription, 'channel' | 'field' | 'value'>) =>
  `${channel}/${field}/${value}`

/**
 * Listens, and notifies itself: PostgreSQL sends notifications in the order of their commits, so the answer comes after
 * all that were committed before. On a busy machine they arrive late.
 */
const listenTo = (channel: string) => `LISTEN ${escapeIdentifier(channel)}; NOTIFY ${escapeIdentifier(channel)}`
