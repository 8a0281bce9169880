import { expect, test } from 'bun:test'
import { createListPrices } from '../../../src/platform/http/list-price.ts'

test('a page is expected to read what the pages before it have read, by record', () => {
  const prices = createListPrices()
  // As if each record had the longest metadata.
  expect(prices.estimate('a', 200)).toBe(12_800)
  prices.record('a', 100, 6000)
  expect(prices.estimate('a', 200)).toBe(12_000)
  expect(prices.estimate('a', 1)).toBe(60)
  expect(prices.estimate('b', 200)).toBe(12_800)
})

test('a cheap page hides an expensive one for none of the next requests, and many do', () => {
  const prices = createListPrices()
  prices.record('a', 200, 12_000)
  prices.record('a', 200, 0)
  expect(prices.estimate('a', 200)).toBeCloseTo(10_800)
  for (let page = 0; page < 50; page++) prices.record('a', 200, 200)
  expect(prices.estimate('a', 200)).toBeLessThan(300)
})
