import { expect, test } from 'bun:test'
import type { Logger } from 'pino'
import { logFailure } from '../../../src/platform/http/failure-log.ts'

test('of failures while the database is away, one in ten seconds is logged, with the number of the others', () => {
  const lines: object[] = []
  const log = { error: (line: object) => lines.push(line) } as unknown as Logger
  const fail = (code: 'unavailable' | 'internal', nowMs: number) =>
    logFailure(log, { code }, { err: null, requestId: String(nowMs) }, 'm', nowMs)
  for (let ms = 0; ms < 10_000; ms += 100) fail('unavailable', ms)
  fail('internal', 9_999)
  fail('internal', 9_999)
  fail('unavailable', 10_000)
  fail('unavailable', 20_000)
  expect(lines).toEqual([
    { err: null, requestId: '0', omitted: 0 },
    { err: null, requestId: '9999' },
    { err: null, requestId: '9999' },
    { err: null, requestId: '10000', omitted: 99 },
    { err: null, requestId: '20000', omitted: 0 },
  ])
})
