import { afterEach, expect, test } from 'bun:test'
import type { Logger } from 'pino'
import { readClockSkew, watchClock } from '../../src/cli/clock-skew.ts'
import { createFindDelivered, forbidden } from '../../src/domain/delivery/find.ts'
import { useTestService } from '../support/service.ts'

const service = useTestService()
const lines: { seconds?: number; text: string }[] = []
const log = {
  warn: ({ seconds }: { seconds: number }, text: string) => lines.push({ seconds, text }),
  info: (text: string) => lines.push({ text }),
} as unknown as Logger
afterEach(() => {
  service.clock.now = null
  lines.length = 0
})
const shift = (seconds: number) => {
  service.clock.now = new Date(Date.now() + 1000 * seconds)
}

test.each([0, 90, -90])('measures a difference of %d s', async (seconds) => {
  if (seconds !== 0) shift(seconds)
  expect(Math.abs((await readClockSkew(service.services)) - seconds)).toBeLessThan(2)
})

test('warns once above 5 s, and reports when the clock is right again', async () => {
  shift(2)
  const watch = watchClock({ ...service.services, log })
  await watch.first
  expect(lines).toEqual([])
  shift(90)
  await watch.check()
  await watch.check()
  expect(lines.map(({ text }) => text)).toEqual([expect.stringContaining('differs from the database')])
  expect(Math.abs((lines[0]?.seconds ?? 0) - 90)).toBeLessThan(2)
  shift(0)
  await watch.check()
  expect(lines.at(-1)?.text).toBe('the clock agrees with the database again')
  watch.stop()
})

test('an address of the future that was forged is 403 and not logged', async () => {
  const issued = Math.floor(Date.now() / 1000) + 90
  const findDelivered = createFindDelivered({ ...service.services, log })
  const findIssued = async () => findDelivered(`http://edge.test/a?verify=${issued}-${'x'.repeat(43)}`)
  await expect(findIssued()).rejects.toThrow(forbidden().message)
  expect(lines).toEqual([])
})
