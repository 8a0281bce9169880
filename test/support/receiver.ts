// A receiver of webhooks that stores the messages and answers as the test says. It shares no code with the service.
import { claimDue } from '../../src/domain/webhook/delivery/claim.ts'
import { deliver } from '../../src/domain/webhook/delivery/dispatch.ts'
import { createOutcomeRecorder } from '../../src/domain/webhook/delivery/outcome.ts'
import type { TestService } from './service.ts'

export interface Received {
  path: string
  headers: Record<string, string>
  body: string
}

export type Receiver = ReturnType<typeof startReceiver>

/** @param answer answers a message. Defaults to an immediate 204. */
export function startReceiver(answer: (message: Received) => Response | Promise<Response> = () => replyNoContent()) {
  const all: Received[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    idleTimeout: 255,
    fetch: async (request) => {
      const headers = Object.fromEntries(request.headers)
      const message = { path: new URL(request.url).pathname, headers, body: await request.text() }
      all.push(message)
      for (const { resolve } of waiting.filter(({ count }) => all.length >= count)) resolve()
      return answer(message)
    },
  })
  return {
    /** All messages in the order of their arrival. */
    all,
    at: (path = '/hook') => `http://127.0.0.1:${server.port}${path}`,
    /** Resolves when this total number of messages has arrived. */
    received: (count: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (all.length >= count) resolve()
      waiting.push({ count, resolve })
      return promise
    },
    stop: () => server.stop(true),
  }
}

export const replyNoContent = () => new Response(null, { status: 204 })

/** Makes every attempt that is due, one after the other, including those that become due. @returns their number */
export async function deliverDue({ services }: TestService): Promise<number> {
  const record = createOutcomeRecorder(services)
  let count = 0
  while (true) {
    const due = await claimDue(services, { limit: 100 })
    if (due.length === 0) return count
    for (const delivery of due) await deliver(services, record, delivery, new AbortController().signal)
    count += due.length
  }
}
