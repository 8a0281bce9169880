import { expect, test } from 'bun:test'
import { planMoves } from '../../src/web/studio/library/order/plan-moves.ts'

/** The order after moves, as the service carries them out. */
function move(current: readonly string[], target: readonly string[]) {
  const moves = planMoves(current, target)
  const ids = [...current]
  for (const { id, place } of moves) {
    ids.splice(ids.indexOf(id), 1)
    ids.splice('afterTrackId' in place ? ids.indexOf(place.afterTrackId) + 1 : ids.indexOf(place.beforeTrackId), 0, id)
  }
  return { order: ids.join(''), moves: moves.length }
}

test.each([
  ['abcd', 'abcd', 0],
  ['abcd', 'dabc', 1],
  ['abcd', 'bcda', 1],
  ['abcd', 'dcba', 3],
  ['abcdef', 'badcfe', 3],
  ['a', 'a', 0],
  ['', '', 0],
])('brings %s to %s by %i moves', (from, to, moves) => {
  expect(move([...from], [...to])).toEqual({ order: to, moves })
})

test('brings tracks to each order of five', () => {
  const permute = (rest: string[]): string[][] =>
    rest.length === 0
      ? [[]]
      : rest.flatMap((id) => permute(rest.filter((other) => other !== id)).map((tail) => [id, ...tail]))
  const orders = permute([...'abcde'])
  expect(orders.length).toBe(120)
  for (const order of orders) expect(move([...'abcde'], order).order).toBe(order.join(''))
})
