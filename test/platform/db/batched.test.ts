import { describe, expect, test } from 'bun:test'
import { batched } from '../../../src/platform/db/batched.ts'

describe('batched', () => {
  test('loads the calls that arrive while a batch is loading as the next batch', async () => {
    const batches: number[][] = []
    const answer = Promise.withResolvers<void>()
    const load = batched(async (keys: readonly number[]) => {
      batches.push([...keys])
      await answer.promise
      return keys.map((key) => key * 10)
    })
    const calls = Promise.all([load(1), load(2), load(3)])
    answer.resolve()
    expect(await calls).toEqual([10, 20, 30])
    expect(batches).toEqual([[1], [2, 3]])
  })

  test('waits for calls of the same turn and splits a batch at its maximum', async () => {
    const sizes: number[] = []
    const load = batched(
      async (keys: readonly number[]) => {
        sizes.push(keys.length)
        return keys
      },
      { max: 2, turns: 1 },
    )
    expect(await Promise.all([1, 2, 3].map(load))).toEqual([1, 2, 3])
    expect(sizes).toEqual([2, 1])
  })

  test('gathers for a limited time', async () => {
    const load = batched(async (keys: readonly number[]) => keys, { turns: Number.POSITIVE_INFINITY })
    expect(await load(1)).toBe(1)
  })

  test('rejects the calls of a batch that fails and loads the next one', async () => {
    let isBroken = true
    const load = batched(async (keys: readonly number[]) => {
      if (isBroken) throw new Error('unavailable')
      return keys
    })
    await expect(load(1)).rejects.toThrow('unavailable')
    isBroken = false
    expect(await load(2)).toBe(2)
  })

  test('shares the waiting calls between batches that load at once, and uses fewer on request', async () => {
    let lanes = 2
    const answers: (() => void)[] = []
    const batches: number[][] = []
    const load = batched(
      async (keys: readonly number[]) => {
        batches.push([...keys])
        await new Promise<void>((resolve) => answers.push(resolve))
        return keys
      },
      { turns: 1, lanes: () => lanes },
    )
    const release = async (count: number) => {
      while (answers.length < count) await new Promise<void>((resolve) => setImmediate(resolve))
      for (const answer of answers.splice(0)) answer()
    }
    const first = Promise.all([1, 2, 3, 4, 5].map(load))
    await release(2)
    expect(await first).toEqual([1, 2, 3, 4, 5])
    lanes = 1
    const second = Promise.all([6, 7, 8].map(load))
    await release(1)
    expect(await second).toEqual([6, 7, 8])
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5],
      [6, 7, 8],
    ])
  })

  test('does not wait for a batch that stalls, and answers its calls when it ends', async () => {
    const silent = Promise.withResolvers<void>()
    const load = batched(
      async (keys: readonly number[]) => {
        if (keys.includes(1)) await silent.promise
        return keys
      },
      { stallMs: 1 },
    )
    const first = load(1)
    expect(await Promise.all([load(2), load(3)])).toEqual([2, 3])
    silent.resolve()
    expect(await first).toBe(1)
    expect(await load(4)).toBe(4)
  })

  test('waits for one of the stalled batches once there are four', async () => {
    const silent = Promise.withResolvers<void>()
    const batches: (readonly number[])[] = []
    const load = batched(
      async (keys: readonly number[]) => {
        batches.push(keys)
        await silent.promise
        return keys
      },
      { max: 1, stallMs: 1 },
    )
    const calls = Promise.all([1, 2, 3, 4, 5, 6].map(load))
    while (batches.length < 5) await new Promise<void>((resolve) => setImmediate(resolve))
    silent.resolve()
    expect(await calls).toEqual([1, 2, 3, 4, 5, 6])
    expect(batches.slice(0, 5)).toEqual([[1], [2], [3], [4], [5]])
  })
})
