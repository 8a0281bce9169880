import { expect, test } from 'bun:test'
import { createListPrices } from '../../../src/platform/http/list-price.ts'

test('a page is expected to read what the pages before it have read, by record', () => {
  const prices = createListPrices()
  expect(prices.estimate('a', 200)).toBe(0)
  prices.record('a', 100, 6000)
  expect(prices.estimate('a', 200)).toBe(12_000)
  expect(prices.estimate('a', 1)).toBe(60)
  expect(prices.estimate('b', 200)).toBe(0)
})

test('a cheap page hides an expensive one for none of the next requests, and many do', () => {
  const prices = createListPrices()
  prices.record('a', 200, 12_000)
  prices.record('a', 200, 0)
  expect(prices.estimate('a', 200)).toBeCloseTo(10_800)
  for (let page = 0; page < 50; page++) prices.record('a', 200, 200)
  expect(prices.estimate('a', 200)).toBeLessThan(300)
})

test('the first page of an unknown list is read alone, so that the others have its price', async () => {
  const prices = createListPrices()
  await prices.begin('a')
  const events: string[] = []
  const second = prices.begin('a').then(() => events.push(`second ${prices.estimate('a', 1)}`))
  await prices.begin('b')
  events.push('another list')
  prices.record('a', 1, 60)
  prices.end('a')
  await second
  await prices.begin('a')
  expect(events).toEqual(['another list', 'second 60'])
})

test('a first page that fails or takes long does not stop the others', async () => {
  const prices = createListPrices()
  await prices.begin('a')
  await prices.begin('a')
  prices.end('a')
  await prices.begin('a')
  prices.end('a')
})
