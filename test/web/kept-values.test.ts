// Positions of long recordings that the page of a share link continues from.
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { keepPosition, keepValue, readKept, readPosition } from '../../src/web/listen/kept-values.ts'

const values = new Map<string, string>()
const storage = {
  getItem: (key: string) => values.get(key) ?? null,
  setItem: (key: string, value: string) => values.set(key, value),
  removeItem: (key: string) => values.delete(key),
}
const setStorage = (value: object) =>
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, ...value })

beforeEach(() => {
  values.clear()
  setStorage({ value: storage })
})
afterAll(() => Reflect.deleteProperty(globalThis, 'localStorage'))

test('continues a long recording, not a song', () => {
  keepPosition('talk', 120.7, 1800)
  keepPosition('song', 120.7, 240)
  expect([readPosition('talk'), readPosition('song')]).toEqual([120, 0])
})

test('begins again after the end, and near the start', () => {
  keepPosition('talk', 120, 1800)
  keepPosition('talk', 1795, 1800)
  expect(readPosition('talk')).toBe(0)
  keepPosition('talk', 5, 1800)
  expect(readPosition('talk')).toBe(0)
})

test('works in a frame that is refused the storage', () => {
  setStorage({
    get: () => {
      throw new Error('SecurityError')
    },
  })
  keepValue('speed', '2')
  expect([readKept('speed'), readPosition('talk')]).toEqual([null, 0])
})
