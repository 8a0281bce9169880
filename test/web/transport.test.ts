import { describe, expect, test } from 'bun:test'
import type { Fetch } from '../../src/web/session/api.ts'
import { createSession } from '../../src/web/session/session.ts'
import { createTransport } from '../../src/web/session/transport.ts'
import { createBrowser, createServer } from './server.ts'

const OPERATION = { query: 'subscription Count { count(to: 11) }' }

/** A page that follows a subscription, whose connections fail while `isAway`. */
async function follow({ expiresAt = '2030-01-01T00:00:00.000Z' } = {}) {
  const server = createServer()
  server.state.expiresAt = expiresAt
  const network = { isAway: false, attempts: 0, status: 502 }
  /** Ends the answers that are open, as a proxy does that restarts. */
  let breakAll = new AbortController()
  const fetch: Fetch = async (url, init) => {
    network.attempts += 1
    if (network.isAway) return new Response('<p>Bad gateway</p>', { status: network.status })
    const response = await server.fetch(url, init)
    const { body } = response
    if (!body || !response.headers.get('content-type')?.includes('event-stream')) return response
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    body.pipeTo(writable, { signal: breakAll.signal }).catch(() => {})
    return new Response(readable, response)
  }
  const session = createSession(createBrowser(fetch).open())
  await session.signIn('admin@example.com', 'right')
  const retries: number[] = []
  /** Resolved by the test for each pause. */
  let endPause = () => {}
  let paused = Promise.withResolvers<void>()
  const transport = createTransport(session, fetch, (count) => {
    retries.push(count)
    const { promise, resolve } = Promise.withResolvers<void>()
    endPause = resolve
    paused.resolve()
    return promise
  })
  const states: boolean[] = []
  transport.live.subscribe(() => states.push(transport.live.read()))
  const events: string[] = []
  const failed = Promise.withResolvers<void>()
  let began = Promise.withResolvers<void>()
  const end = transport.follow(OPERATION, {
    next: () => began.resolve(),
    error: (error) => {
      events.push(`error ${error}`)
      failed.resolve()
    },
    complete: () => events.push('complete'),
    reconnected: () => events.push('reconnected'),
  })
  return {
    server,
    network,
    transport,
    states,
    events,
    retries,
    end,
    failure: failed.promise,
    begin: () => began.promise,
    interrupt() {
      network.isAway = true
      began = Promise.withResolvers()
      breakAll.abort()
      breakAll = new AbortController()
    },
    /** Waits until the client waits, and lets it try again. */
    async tryAgain() {
      await paused.promise
      paused = Promise.withResolvers()
      endPause()
    },
    pause: () => paused.promise,
  }
}

describe('an interrupted subscription', () => {
  test('is tried again for as long as it takes, and says when it is not live', async () => {
    const { begin, interrupt, tryAgain, pause, network, transport, states, events, retries, end } = await follow()
    await begin()
    expect(transport.live.read()).toBe(true)
    interrupt()
    for (let attempt = 0; attempt < 12; attempt++) await tryAgain()
    await pause()
    expect([transport.live.read(), states]).toEqual([false, [false]])
    network.isAway = false
    await tryAgain()
    await begin()
    expect([transport.live.read(), states, events]).toEqual([true, [false, true], ['reconnected']])
    expect(retries).toEqual(Array.from({ length: 13 }, (_, at) => at))
    end()
  })

  test('that is not followed any more does not keep the page from being live', async () => {
    const { begin, interrupt, tryAgain, pause, transport, states, end } = await follow()
    await begin()
    interrupt()
    await tryAgain()
    await pause()
    expect(transport.live.read()).toBe(false)
    end()
    expect([transport.live.read(), states]).toEqual([true, [false, true]])
  })

  test('is tried again while the credential cannot be renewed', async () => {
    const { begin, interrupt, tryAgain, pause, network, events, end } = await follow({
      expiresAt: '1970-01-01T00:00:30.000Z',
    })
    await begin()
    interrupt()
    for (let attempt = 0; attempt < 7; attempt++) await tryAgain()
    await pause()
    network.isAway = false
    await tryAgain()
    await begin()
    expect(events).toEqual(['reconnected'])
    end()
  })

  test('is ended by a refusal', async () => {
    const { begin, interrupt, tryAgain, pause, network, server, transport, events, failure } = await follow()
    await begin()
    interrupt()
    await tryAgain()
    await pause()
    network.isAway = false
    server.expire()
    server.state.isRefreshRefused = true
    const attempts = network.attempts
    await tryAgain()
    await failure
    expect([events, transport.live.read()]).toEqual([['error Error: The token is not valid.'], true])
    expect(network.attempts).toBeGreaterThan(attempts)
  })
})

test('an answer of a proxy in place of the service may pass', async () => {
  const { network, transport, end } = await follow()
  network.isAway = true
  await expect(transport.run({ query: '{ secret }' })).rejects.toMatchObject({ code: 'unavailable' })
  network.status = 418
  await expect(transport.run({ query: '{ secret }' })).rejects.toMatchObject({ code: 'internal' })
  end()
})
