// Requests of keys, counted in memory and reported to a counter that all processes share.
import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test'
import { RateLimiterMemory, type RateLimiterPostgres } from 'rate-limiter-flexible'
import { createFoldedLimit } from '../../../src/platform/http/folded-limit.ts'

const MAX = 1000
const log = { warn: (_: object, message: string) => warnings.push(message) } as never
let warnings: string[]
/** Reports to the shared counter: the points of each. */
let reports: number[]
let answer: (points: number) => Promise<unknown>
let shared: RateLimiterMemory
beforeEach(() => {
  setSystemTime(new Date('2026-01-01T00:00:00Z'))
  ;[warnings, reports] = [[], []]
  shared = new RateLimiterMemory({ points: MAX, duration: 60 })
  answer = (points) => shared.consume('key', points)
})
afterEach(() => setSystemTime())

const limiter = {
  consume: (_: string, points: number) => {
    reports.push(points)
    return answer(points)
  },
} as unknown as RateLimiterPostgres
const startProcess = () => createFoldedLimit(limiter, { log }, { max: MAX, windowSeconds: 60 })
type Process = ReturnType<typeof startProcess>

/** Lets the reports end. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
/** @returns the number of allowed requests */
async function send(count: number, ...processes: Process[]): Promise<number> {
  let allowed = 0
  for (let sent = 0; sent < count; sent++) {
    if (processes[sent % processes.length]?.count('key').isAllowed) allowed += 1
    await settle()
  }
  return allowed
}

test('one process allows exactly the limit, and reports each hundredth of it', async () => {
  const limit = startProcess()
  expect(limit.count('key')).toMatchObject({
    isAllowed: true,
    result: { remainingPoints: MAX - 1, msBeforeNext: 60_000 },
  })
  expect(await send(MAX + 50, limit)).toBe(MAX - 1)
  expect(limit.count('key')).toMatchObject({ isAllowed: false, result: { remainingPoints: 0 } })
  expect(reports.length).toBeLessThanOrEqual(101)
})

test('several processes allow a hundredth too much each, at most', async () => {
  const allowed = await send(2 * MAX, startProcess(), startProcess(), startProcess())
  expect(allowed).toBeWithin(MAX, MAX + 31)
})

test('a few requests are reported once a second', async () => {
  const limit = startProcess()
  await send(5, limit)
  expect(reports).toEqual([1])
  setSystemTime(new Date(Date.now() + 1001))
  await send(1, limit)
  expect(reports).toEqual([1, 5])
})

test('no request waits for the counter, and one report runs at a time', async () => {
  answer = () => new Promise(() => {})
  const limit = startProcess()
  expect(await send(MAX + 1, limit)).toBe(MAX)
  expect(reports).toEqual([1])
})

test('a request is counted again when the counter was away', async () => {
  answer = () => Promise.reject(new Error('away'))
  const limit = startProcess()
  await send(30, limit)
  expect(new Set(warnings)).toEqual(new Set(['a rate limit could not be counted']))
  answer = (points) => shared.consume('key', points)
  await send(1, limit)
  expect(reports.at(-1)).toBe(31)
})

test('the next window begins with the whole limit', async () => {
  const limit = startProcess()
  expect(await send(MAX + 1, limit)).toBe(MAX)
  setSystemTime(new Date(Date.now() + 60_001))
  expect(limit.count('key')).toMatchObject({ isAllowed: true, result: { remainingPoints: MAX - 1 } })
})
