import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { httpDate } from '../../../src/platform/http/date.ts'

afterEach(() => void setSystemTime())

test('is the date of the running second, also after the clock was set back', () => {
  for (const [at, expected] of [
    ['2026-11-06T08:49:37.999Z', 'Fri, 06 Nov 2026 08:49:37 GMT'],
    ['2026-11-06T08:49:38.000Z', 'Fri, 06 Nov 2026 08:49:38 GMT'],
    ['2026-11-06T08:49:37.000Z', 'Fri, 06 Nov 2026 08:49:37 GMT'],
  ] as const) {
    setSystemTime(new Date(at))
    expect(httpDate()).toBe(expected)
  }
})
