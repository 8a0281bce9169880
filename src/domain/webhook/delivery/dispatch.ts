import type { Services } from '../../../platform/context.ts'
import { oneAtATime } from '../../../platform/one-at-a-time.ts'
import { readOrigin, withOrigin } from '../../../platform/origin.ts'
import { makeAttempt } from './attempt.ts'
import { type ClaimedDelivery, claimDue, releaseClaim } from './claim.ts'
import { createOutcomeRecorder, isSuccess, type RecordOutcome } from './outcome.ts'

/** Sends the webhooks of a process. */
export interface Dispatcher {
  /** Starts no more attempts. Aborts running attempts after `graceMs` and releases their claims. */
  stop: (graceMs: number) => Promise<void>
}

/** Concurrent attempts of a process. Attempts to failing endpoints use at most half of them. */
const MAX_RUNNING = 512
const MAX_RUNNING_FAILING = MAX_RUNNING / 2
/** Finds attempts that become due with time. New deliveries are notified. */
const POLL_MS = 1000

/**
 * Starts making due attempts. They are not jobs of the queue, because its few slots are for CPU-bound work and slow
 * receivers would block them.
 */
export async function startDispatcher(services: Services): Promise<Dispatcher> {
  const { log, notifications } = services
  // Both a claim and a recording lock the endpoint, and a claim skips an endpoint that is locked.
  const inTurn = oneAtATime()
  const record = createOutcomeRecorder(services, inTurn)
  const stopping = new AbortController()
  const running = new Map<Promise<void>, ClaimedDelivery>()
  let isStopped = false
  let isFillRequested = false
  let filling: Promise<void> | null = null

  /** Claims due deliveries up to the limit. A call during a running pass makes it look again. */
  function fill(): void {
    isFillRequested = true
    filling ??= claimAll()
      .catch((error) => log.warn({ err: error }, 'looking for due webhooks failed'))
      .finally(() => {
        filling = null
        if (isFillRequested) fill()
      })
  }
  async function claimAll(): Promise<void> {
    while (isFillRequested) {
      isFillRequested = false
      if (isStopped) return
      const limit = MAX_RUNNING - running.size
      if (limit === 0) return
      const failing = [...running.values()].filter(({ endpoint }) => endpoint.failingSince).length
      const options = { limit, isFailingLeftOut: failing >= MAX_RUNNING_FAILING }
      for (const delivery of await inTurn(() => claimDue(services, options))) {
        const run = deliver(services, record, delivery, stopping.signal)
          .catch((error) => log.warn({ err: error }, 'recording the result of a webhook failed; it is sent again'))
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
    .subscribe({ channel: 'webhook_due', field: 'queue', value: 'webhook', owner: 'webhooks', listener })
    .catch((error) => {
      log.warn({ err: error }, 'subscribing to new webhooks failed; they are found by polling only')
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
      const grace = setTimeout(() => stopping.abort(new Error('the process is stopping')), graceMs)
      await all
      clearTimeout(grace)
    },
  }
}

/** Makes the attempt of a claimed delivery and records its result, as a part of the request that caused the event. */
export function deliver(
  services: Services,
  record: RecordOutcome,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const remote = readOrigin(delivery.event.origin)
  const attributes = { 'tonearm.event_type': delivery.event.type, 'tonearm.attempt': delivery.attemptCount + 1 }
  return withOrigin({ requestId: remote.requestId ?? null, span: null }, () =>
    services.tracing.inSpan('webhook', { kind: 'client', remote, attributes }, () =>
      attempt(services, record, delivery, signal),
    ),
  )
}

async function attempt(
  services: Services,
  record: RecordOutcome,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  try {
    const result = await makeAttempt(services, delivery, signal)
    await record(delivery, result)
    const outcome = isSuccess(result) ? 'delivered' : 'failed'
    services.metrics.webhookAttempts.inc({ outcome })
    services.metrics.webhookSeconds.observe({ outcome }, result.durationMs / 1000)
  } catch (error) {
    if (!signal.aborted) throw error
    await releaseClaim(services, delivery)
  }
}
