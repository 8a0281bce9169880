import { expect, test } from 'bun:test'
import { Recent } from '../../src/platform/recent.ts'

test('keeps at least half of its maximum, and never more than the maximum', () => {
  const recent = new Recent<number>(10)
  const listNumbers = () => Array.from({ length: 1000 }, (_, n) => n).filter((n) => recent.get(String(n)) !== undefined)
  for (let n = 0; n < 1000; n++) recent.set(String(n), n)
  const numbers = listNumbers()
  expect(numbers.length).toBeGreaterThanOrEqual(5)
  expect(numbers.length).toBeLessThanOrEqual(10)
  expect(numbers.at(-1)).toBe(999)
})

test('keeps a value that is read often', () => {
  const recent = new Recent<number>(4)
  recent.set('often', 1)
  for (let n = 0; n < 100; n++) {
    recent.set(String(n), n)
    expect(recent.get('often')).toBe(1)
  }
})

test('replaces a value, also one that was not read for long', () => {
  const recent = new Recent<number>(4)
  recent.set('a', 1)
  recent.set('b', 2)
  recent.set('c', 3)
  recent.set('a', 4)
  expect(recent.get('a')).toBe(4)
})

test('deletes matching values in both halves, and all', () => {
  const recent = new Recent<number>(6)
  for (let n = 1; n <= 6; n++) recent.set(String(n), n)
  recent.deleteWhere((n) => n % 2 === 0)
  expect([1, 2, 3, 4, 5, 6].map((n) => recent.get(String(n)))).toEqual([1, undefined, 3, undefined, 5, undefined])
  recent.clear()
  expect(recent.get('5')).toBeUndefined()
})
