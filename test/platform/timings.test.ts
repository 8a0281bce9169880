import { expect, test } from 'bun:test'
import { Counter, Histogram, Registry } from 'prom-client'
import { Counts, Timings } from '../../src/platform/timings.ts'

test('is written as a histogram of prom-client is', async () => {
  const [ownRegistry, other] = [new Registry(), new Registry()]
  const settings = { name: 'a_seconds', help: 'Help.', labelNames: ['x', 'y'], buckets: [0.001, 0.5, 1] }
  const timings = new Timings(ownRegistry, settings)
  const histogram = new Histogram({ ...settings, registers: [other] })
  const values = [0, 0.001, 0.0011, 0.5, 1, 1.5, 1e9]
  for (const [i, value] of values.entries()) {
    const labels = i % 3 === 0 ? { x: 'a "b"', y: 'c' } : { x: 'd', y: 'e\nf' }
    timings.of(labels.x, labels.y).observe(value)
    histogram.observe(labels, value)
  }
  expect(await ownRegistry.metrics()).toBe(await other.metrics())
  const merged = Registry.merge([ownRegistry, new Registry()])
  expect(await merged.metrics()).toBe(await other.metrics())
})

test('a counter is written as one of prom-client is', async () => {
  const [ownRegistry, other] = [new Registry(), new Registry()]
  const settings = { name: 'a_total', help: 'Help.', labelNames: ['x', 'y'] }
  const counts = new Counts(ownRegistry, settings)
  const counter = new Counter({ ...settings, registers: [other] })
  expect(await ownRegistry.metrics()).toBe(await other.metrics())
  for (const y of ['1', '2', '1']) {
    counts.of('a', y).value += 1
    counter.inc({ x: 'a', y })
  }
  expect(await ownRegistry.metrics()).toBe(await other.metrics())
})

test('without labels has one series before the first observation', async () => {
  const [ownRegistry, other] = [new Registry(), new Registry()]
  const settings = { name: 'a_seconds', help: 'Help.', buckets: [1] }
  new Timings(ownRegistry, { ...settings, labelNames: [] })
  new Histogram({ ...settings, registers: [other] })
  expect(await ownRegistry.metrics()).toBe(await other.metrics())
})
