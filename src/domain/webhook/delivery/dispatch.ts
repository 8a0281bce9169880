import type { Services } from '../../../platform/context.ts'
import { makeAttempt } from './attempt.ts'
import { type ClaimedDelivery, claimDue, releaseClaim } from './claim.ts'
import { isSuccess, recordOutcome } from './outcome.ts'

/** What sends webhooks in a process. */
export interface Dispatcher {
  /** Begins no more attempts, gives running ones `graceMs`, then breaks them off and hands them back at once. */
  stop: (graceMs: number) => Promise<void>
}

/** Attempts of a process; those to endpoints that take nothing leave the others half of it. */
const MAX_RUNNING = 256
const MAX_RUNNING_FAILING = MAX_RUNNING / 2
/** For attempts that come due by the clock; what is new is told. */
const POLL_MS = 1000

/**
 * Makes every attempt that is due, each by itself. Not as jobs of the queue: its few places are for work that keeps the
 * machine busy, and receivers that take their time would fill them with waiting.
 */
export async function startDispatcher(services: Services): Promise<Dispatcher> {
  const { log, notifications } = services
  const stopping = new AbortController()
  const running = new Map<Promise<void>, ClaimedDelivery>()
  let isStopped = false
  let isAskedAgain = false
  let filling: Promise<void> | null = null

  /** Takes what there is room for. Whoever asks while it is at it makes it look once more. */
  function fill(): void {
    isAskedAgain = true
    filling ??= takeAll()
      .catch((error) => log.warn({ err: error }, 'webhooks could not be looked for'))
      .finally(() => {
        filling = null
        if (isAskedAgain) fill()
      })
  }
  async function takeAll(): Promise<void> {
    while (isAskedAgain) {
      isAskedAgain = false
      if (isStopped) return
      const limit = MAX_RUNNING - running.size
      if (limit === 0) return
      const failing = [...running.values()].filter(({ endpoint }) => endpoint.failingSince).length
      for (const delivery of await claimDue(services, { limit, isFailingLeftOut: failing >= MAX_RUNNING_FAILING })) {
        const run = deliver(services, delivery, stopping.signal)
          .catch((error) => log.warn({ err: error }, 'what a webhook came to could not be written; it is sent again'))
          .finally(() => {
            running.delete(run)
            fill()
          })
        running.set(run, delivery)
      }
    }
  }

  const poll = setInterval(fill, POLL_MS)
  const listener = { hear: fill, resume: fill }
  const unsubscribe = await notifications
    .subscribe({ channel: 'webhook_due', field: 'queue', value: 'webhook', holder: 'webhooks', listener })
    .catch((error) => {
      log.warn({ err: error }, 'new webhooks are not heard of, only looked for')
      return () => {}
    })
  fill()

  return {
    stop: async (graceMs) => {
      isStopped = true
      clearInterval(poll)
      unsubscribe()
      await filling
      const all = Promise.all(running.keys())
      const grace = setTimeout(() => stopping.abort(new Error('the process stops')), graceMs)
      await all
      clearTimeout(grace)
    },
  }
}

/** Makes the attempt of a delivery that was claimed, and writes what it came to. */
export async function deliver(services: Services, delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  try {
    const result = await makeAttempt(services, delivery, signal)
    await recordOutcome(services, delivery, result)
    services.metrics.webhookAttempts.inc({ outcome: isSuccess(result) ? 'delivered' : 'failed' })
  } catch (error) {
    if (!signal.aborted) throw error
    await releaseClaim(services, delivery)
  }
}
