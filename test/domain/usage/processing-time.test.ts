// Processing times of old months: added up by day, so that their number is bounded by days and collections.
import { expect, test } from 'bun:test'
import * as database from '../../support/administrators.ts'
import { runTask } from '../../support/jobs.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
const rowsOf = async (text: string, values?: unknown[]): Promise<Json[]> =>
  (await database.sql(service, text, values)).rows

const JOBS = 5_050

test('adds up jobs of months that are older than PLAYS_KEPT_MONTHS, and keeps every sum but those of tracks', async () => {
  service.clock.now = new Date('2026-11-24T12:00:00Z')
  const organizationId = service.demo.organization_id
  const collections = [crypto.randomUUID(), crypto.randomUUID()]
  await rowsOf(
    `INSERT INTO processing_time (job_id, organization_id, collection_id, track_id, finished_at, seconds)
     SELECT gen_random_uuid(), $1::uuid, ($2::uuid[])[1 + n % 2], gen_random_uuid(), '2025-09-01'::timestamptz + n % 3 * interval '25 hours', 0.25
     FROM generate_series(1, $3::int) n
     UNION ALL SELECT gen_random_uuid(), $1::uuid, ($2::uuid[])[1], gen_random_uuid(), '2025-10-01T00:00:00Z', 1`,
    [organizationId, collections, JOBS],
  )
  const sums = () =>
    rowsOf(
      `SELECT (finished_at AT TIME ZONE 'UTC')::date::text AS day, collection_id, sum(jobs)::int AS jobs, sum(seconds) AS seconds
       FROM processing_time WHERE organization_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
      [organizationId],
    )
  const usage = async () =>
    (await service.v1('GET', '/usage?group_by=day&from=2025-09-01T00:00:00Z&to=2025-11-01T00:00:00Z')).status
  const before = await sums()
  expect(before).toHaveLength(7)
  for (let time = 1; time <= 2; time++) {
    await runTask(service.services, 'fold_processing_times')
    expect(await sums()).toEqual(before)
  }
  const [{ rows, tracks }] = await rowsOf(
    'SELECT count(*)::int AS rows, count(track_id)::int AS tracks FROM processing_time WHERE organization_id = $1',
    [organizationId],
  )
  // Six groups of two chunks at most, and the month that is kept.
  expect(rows).toBeLessThanOrEqual(13)
  expect(tracks).toBe(1)
  expect(await usage()).toBe(200)
  service.clock.now = null
})

test('the usage of processing counts jobs, not rows', async () => {
  await rowsOf('DELETE FROM processing_time')
  await rowsOf(
    `INSERT INTO processing_time (job_id, organization_id, finished_at, seconds, jobs)
     VALUES (gen_random_uuid(), $1::uuid, now() - interval '1 hour', 30, 12), (gen_random_uuid(), $1::uuid, now() - interval '1 hour', 1, 1)`,
    [service.demo.organization_id],
  )
  const { token } = await database.signIn(service)
  const answer = await database.data(service, '{ processingUsage(groupBy: []) { jobs seconds } }', {}, token)
  expect(answer.processingUsage).toEqual([{ jobs: 13, seconds: 31 }])
})
