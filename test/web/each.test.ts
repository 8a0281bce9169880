import { expect, test } from 'bun:test'
import { runEach } from '../../src/web/studio/each.ts'

test('runs at most the given number of operations at the same time, and returns items in their order', async () => {
  let running = 0
  let most = 0
  const operate = async (item: number) => {
    running += 1
    most = Math.max(most, running)
    // Odd items take longer.
    for (let turn = 0; turn < (item % 2) * 3; turn++) await Promise.resolve()
    running -= 1
  }
  expect(await runEach([1, 2, 3, 4, 5], operate, { atOnce: 2 })).toEqual({ done: [1, 2, 3, 4, 5], failed: [] })
  expect(most).toBe(2)
})

test('an operation that fails does not end the others, and each counts as finished', async () => {
  const finished: number[] = []
  const refuse = async (item: number) => {
    if (item % 2 === 1) throw new Error(`no ${item}`)
  }
  const { done, failed } = await runEach([1, 2, 3], refuse, { onProgress: (count) => finished.push(count) })
  expect(done).toEqual([2])
  expect(failed.map(({ item, error }) => [item, error.message])).toEqual([
    [1, 'no 1'],
    [3, 'no 3'],
  ])
  expect(finished).toEqual([1, 2, 3])
})

test('a stopped run ends after the operations that have begun', async () => {
  const controller = new AbortController()
  const stop = async (item: number) => item === 2 && controller.abort()
  const outcome = await runEach([1, 2, 3], stop, { atOnce: 1, signal: controller.signal })
  expect(outcome).toEqual({ done: [1, 2], failed: [] })
})
