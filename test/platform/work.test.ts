import { afterEach, expect, test } from 'bun:test'
import { findLimits } from '../../src/platform/db/statement-limits.ts'
import { createTurns } from '../../src/platform/db/turns.ts'
import { AppError } from '../../src/platform/errors.ts'
import { createReadLimits, MAX_BYTES, MAX_ROWS } from '../../src/platform/graphql/answer.ts'
import { startDeadline } from '../../src/platform/graphql/deadline.ts'
import { createLargeTurns, LARGE_POINTS, startWork } from '../../src/platform/work.ts'

const turns = {
  statements: createTurns({ organization: 8, all: 16 }),
  large: createLargeTurns(),
}
const ends: (() => void)[] = []
/** Lets everything run that can. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
afterEach(async () => {
  for (const end of ends.splice(0)) end()
  await settle()
  expect(turns.large.size).toEqual({ running: 0, organizations: 0 })
})

function start(organization: string) {
  const deadline = startDeadline(60, new AbortController().signal)
  const work = startWork(turns, organization, deadline.signal, createReadLimits(deadline))
  ends.push(() => {
    work.end()
    deadline.end()
  })
  const limits = findLimits(work.lasting)
  if (!limits) throw new Error('the request has no limits')
  return { ...work, limits, deadline }
}

/** Whether a promise settles without anything else that happens. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => {
      settled = true
    },
    () => {
      settled = true
    },
  )
  await settle()
  return settled
}

test('an operation of 2,000 points waits for no turn, one of 2,001 does', () => {
  expect(start('a').awaitLargeTurn(LARGE_POINTS)).toBeNull()
  expect(start('a').awaitLargeTurn(LARGE_POINTS + 1)).toBeInstanceOf(Promise)
})

test('an organization runs one large request at a time, two run in all', async () => {
  const first = start('a')
  await first.awaitLargeTurn(25_000)
  const second = start('a').awaitLargeTurn(25_000)
  expect(await isSettled(second as Promise<unknown>)).toBe(false)
  const other = start('b')
  await other.awaitLargeTurn(25_000)
  const third = start('c').awaitLargeTurn(25_000)
  expect(await isSettled(third as Promise<unknown>)).toBe(false)
  other.end()
  await third
  first.end()
  await second
})

test('the operations of a batch share the turn of their request', async () => {
  const request = start('a')
  await request.awaitLargeTurn(20_000)
  await request.awaitLargeTurn(25_000)
  expect(turns.large.size.running).toBe(1)
})

test.each([
  ['records', (limits: ReturnType<typeof start>['limits']) => limits.addRows(LARGE_POINTS + 1)],
  ['bytes', (limits: ReturnType<typeof start>['limits']) => limits.addBytes((LARGE_POINTS + 1) * 1024)],
])('a request that reads more than its price waits before its next statement: %s', async (_, add) => {
  await start('a').awaitLargeTurn(25_000)
  const request = start('a')
  await request.takeTurn(async () => {})
  add(request.limits)
  let isRunning = false
  const statement = request.takeTurn(async () => {
    isRunning = true
  })
  expect(await isSettled(statement)).toBe(false)
  expect(isRunning).toBe(false)
  ends.shift()?.()
  await statement
  expect(isRunning).toBe(true)
})

test('a request whose time passes leaves the queue', async () => {
  await start('a').awaitLargeTurn(25_000)
  const request = start('a')
  const waiting = request.awaitLargeTurn(25_000)
  request.deadline.stop(new AppError('timeout', 'late'))
  await expect(waiting as Promise<unknown>).rejects.toThrow('late')
})

test('each event of a subscription has the records, the bytes and the turn of an answer', async () => {
  const subscription = start('a')
  for (let event = 0; event < 3; event++) {
    await subscription.awaitLargeTurn(LARGE_POINTS + 1)
    subscription.limits.addRows(MAX_ROWS)
    expect(subscription.limits.addBytes(MAX_BYTES)).toBe(true)
    subscription.end()
    await settle()
    expect(turns.large.size.running).toBe(0)
  }
  expect(() => subscription.limits.addRows(MAX_ROWS + 1)).toThrow('the answer exceeds 25000 records')
})
