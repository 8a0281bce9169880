import { expect, test } from 'bun:test'
import { inBatches } from '../../../src/platform/jobs/batches.ts'

test.each([
  { batches: [0], rounds: 1 },
  { batches: [4], rounds: 1 },
  { batches: [5, 5, 0], rounds: 3 },
  { batches: [5, 3, 5], rounds: 2 },
])('rounds of 5 rows end with the first that is not full: %p', async ({ batches, rounds }) => {
  let count = 0
  await inBatches(5, new AbortController().signal, async () => batches[count++] ?? 0)
  expect(count).toBe(rounds)
})

test('stops between two rounds when its task is aborted', async () => {
  const stop = new AbortController()
  let count = 0
  const work = inBatches(5, stop.signal, async () => {
    count += 1
    stop.abort(new Error('stopped'))
    return 5
  })
  await expect(work).rejects.toThrow('stopped')
  expect(count).toBe(1)
})
