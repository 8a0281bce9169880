import { expect, test } from 'bun:test'
import { toAppError } from '../../src/platform/errors.ts'
import { useTestService } from '../support/service.ts'
import { untilBlocked } from '../support/until.ts'

const service = useTestService()

test('a deadlock is a conflict to try again, not an internal error', async () => {
  const { db, pool } = service.services
  const lock = (tx: Pick<typeof db, '$executeRaw'>, key: number) =>
    tx.$executeRaw`SELECT pg_advisory_xact_lock(${key}::int)`
  const isFirstReady = Promise.withResolvers<void>()
  const isSecondReady = Promise.withResolvers<void>()
  const first = db.$transaction(async (tx) => {
    await lock(tx, 1)
    isFirstReady.resolve()
    await isSecondReady.promise
    await lock(tx, 2)
  })
  const second = db.$transaction(async (tx) => {
    await lock(tx, 2)
    isSecondReady.resolve()
    await isFirstReady.promise
    await untilBlocked(pool)
    await lock(tx, 1)
  })
  const outcomes = await Promise.allSettled([first, second])
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => toAppError(reason))
  expect(failed.map(({ code, status, retryAfterSeconds }) => [code, status, retryAfterSeconds])).toEqual([
    ['unavailable', 503, 1],
  ])
})
