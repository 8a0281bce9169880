import { afterEach, expect, test } from 'bun:test'
import { beginUrgent, endUrgent, nextEntry, nextTurn } from '../../src/platform/pieces.ts'

let open = 0
const begin = () => {
  open += 1
  beginUrgent()
}
const end = () => {
  open -= 1
  endUrgent()
}
afterEach(() => {
  while (open > 0) end()
})

const loopTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('long work waits for the end of all urgent work', async () => {
  begin()
  begin()
  const events: string[] = []
  const turn = nextTurn().then(() => events.push('piece'))
  await loopTurn()
  await loopTurn()
  end()
  await loopTurn()
  events.push('urgent')
  end()
  await turn
  expect(events).toEqual(['urgent', 'piece'])
})

test('long work waits for urgent work for a limited time', async () => {
  begin()
  const began = performance.now()
  await nextTurn()
  expect(performance.now() - began).toBeGreaterThan(5)
})

test('no two entries share a turn of the event loop', async () => {
  const turns: number[] = []
  let turn = 0
  let isCounting = true
  const count = async () => {
    while (isCounting) {
      await loopTurn()
      turn += 1
    }
  }
  const counted = count()
  await Promise.all(Array.from({ length: 3 }, () => nextEntry().then(() => turns.push(turn))))
  isCounting = false
  await counted
  expect(new Set(turns).size).toBe(3)
})
