import { describe, expect, test } from 'bun:test'
import { createTurns } from '../../../src/platform/db/turns.ts'

const LIMITS = { request: 2, organization: 3, all: 4 }
const quiet = new AbortController().signal

/** Lets the promises that are settled call what waits for them. */
async function settle() {
  for (let turn = 0; turn < 10; turn++) await null
}

/** Statements that a test ends, and the order in which they started. */
function controlled() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const statement = (name: string) => () => {
    started.push(name)
    const { promise, resolve } = Promise.withResolvers<string>()
    ends.set(name, () => resolve(name))
    return promise
  }
  /** Ends a statement, and lets those that waited for it start. */
  async function end(name: string) {
    ends.get(name)?.()
    await settle()
  }
  return { started, statement, end }
}

test('a request runs at most its number of statements, in their order', async () => {
  const turns = createTurns(LIMITS)
  const { started, statement, end } = controlled()
  const run = turns.ofRequest('a', quiet)
  const all = Promise.all(['1', '2', '3', '4'].map((name) => run(statement(name))))
  await settle()
  expect(started).toEqual(['1', '2'])
  await end('2')
  expect(started).toEqual(['1', '2', '3'])
  await end('1')
  await end('3')
  await end('4')
  expect(await all).toEqual(['1', '2', '3', '4'])
  expect(turns.size).toEqual({ running: 0, organizations: 0 })
})

test('an organization runs at most its number, over all requests', async () => {
  const turns = createTurns(LIMITS)
  const { started, statement, end } = controlled()
  const [first, second] = [turns.ofRequest('a', quiet), turns.ofRequest('a', quiet)]
  for (const name of ['1', '2']) void first(statement(name))
  for (const name of ['3', '4']) void second(statement(name))
  await settle()
  expect(started).toEqual(['1', '2', '3'])
  await end('1')
  expect(started).toEqual(['1', '2', '3', '4'])
})

test('when all are in use, organizations take turns, with queues of any length', async () => {
  const turns = createTurns(LIMITS)
  const { started, statement, end } = controlled()
  for (let request = 0; request < 6; request++) {
    const run = turns.ofRequest('a', quiet)
    void run(statement(`a${request}`))
  }
  void turns.ofRequest('b', quiet)(statement('b0'))
  void turns.ofRequest('b', quiet)(statement('b1'))
  void turns.ofRequest('c', quiet)(statement('c0'))
  await settle()
  expect(started).toEqual(['a0', 'a1', 'a2', 'b0'])
  await end('a0')
  await end('a1')
  await end('a2')
  expect(started.slice(4)).toEqual(['a3', 'b1', 'c0'])
})

describe('an aborted request', () => {
  test('leaves the queue at once, and rejects with the reason', async () => {
    const turns = createTurns({ request: 9, organization: 1, all: 1 })
    const { started, statement, end } = controlled()
    const controller = new AbortController()
    void turns.ofRequest('a', quiet)(statement('1'))
    const waiting = turns.ofRequest('b', controller.signal)(statement('2'))
    await settle()
    expect(turns.size.organizations).toBe(2)
    controller.abort(new Error('late'))
    await expect(waiting).rejects.toThrow('late')
    expect(turns.size.organizations).toBe(1)
    await end('1')
    expect(started).toEqual(['1'])
  })

  test('starts none of the statements that waited for its own', async () => {
    const turns = createTurns(LIMITS)
    const { started, statement, end } = controlled()
    const controller = new AbortController()
    const run = turns.ofRequest('a', controller.signal)
    const all = Promise.allSettled(['1', '2', '3', '4'].map((name) => run(statement(name))))
    await settle()
    controller.abort(new Error('late'))
    await end('1')
    await end('2')
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    expect(started).toEqual(['1', '2'])
    expect(turns.size).toEqual({ running: 0, organizations: 0 })
  })

  test('starts nothing afterwards', async () => {
    const run = createTurns(LIMITS).ofRequest('a', AbortSignal.abort(new Error('late')))
    await expect(run(async () => 'started')).rejects.toThrow('late')
  })
})

test('a statement that fails gives its place to the next one', async () => {
  const turns = createTurns({ request: 1, organization: 1, all: 1 })
  const run = turns.ofRequest('a', quiet)
  const failed = run(() => Promise.reject(new Error('failed')))
  const next = run(async () => 'next')
  await expect(failed).rejects.toThrow('failed')
  expect(await next).toBe('next')
})

test('a statement that waits longer than its time is refused, and leaves its place', async () => {
  const turns = createTurns({ request: 1, organization: 1, all: 1, waitMs: 1 })
  const { started, statement, end } = controlled()
  const first = turns.ofRequest('a', quiet)(statement('1'))
  await expect(turns.ofRequest('a', quiet)(statement('2'))).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 1,
  })
  await end('1')
  await first
  expect(started).toEqual(['1'])
  expect(turns.size).toEqual({ running: 0, organizations: 0 })
})
