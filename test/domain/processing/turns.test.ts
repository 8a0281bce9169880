import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createOrganization } from '../../../src/domain/organization/service.ts'
import { queueRebuild, queueTrackProcessing } from '../../../src/domain/processing/queue/queue.ts'
import { MAX_TURN, PRIORITY_STEP } from '../../../src/domain/processing/queue/tasks.ts'
import { sql } from '../../support/administrators.ts'
import { runTask } from '../../support/jobs.ts'
import { changeEntries, deleteEntries, readEntries, readEntry } from '../../support/queue.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
/** Organizations by a letter. */
const ids = { A: '', B: '', C: '' }
type Letter = keyof typeof ids
/** A track that all jobs name; its state plays no part in the queue. */
let trackId: string

beforeAll(async () => {
  ids.A = service.demo.organization_id
  for (const letter of ['B', 'C'] as const) ids[letter] = (await createOrganization(service.services, letter)).id
  const track = await service.v1('POST', '/track', {
    body: { file_name: 'a.wav', collection_id: service.demo.collection_id },
  })
  trackId = track.json.track_id
})
beforeEach(async () => {
  await deleteEntries(service.services.pool)
  await sql(service, 'DELETE FROM job')
})

const queue = async (letter: Letter, count: number, how = queueTrackProcessing) => {
  for (let i = 0; i < count; i++) {
    await service.services.db.$transaction((tx) => how(tx, ids[letter], trackId))
  }
}
const rebuild: typeof queueTrackProcessing = (tx, organizationId) => queueRebuild(tx, organizationId, trackId, [])

/** Waiting entries in the order in which workers take them. */
const inOrder = () => readEntries(service.services.pool, { isLocked: false, isDue: true })

async function order(): Promise<string> {
  const letters = new Map(Object.entries(ids).map(([letter, id]) => [id, letter]))
  const jobs = await service.services.db.job.findMany()
  const owners = new Map(jobs.map(({ id, organizationId }) => [id, organizationId]))
  return (await inOrder()).map(({ key }) => letters.get(owners.get(key ?? '') ?? '')).join('')
}

/** Starts the next job, as a worker does. */
async function start() {
  const [next] = await inOrder()
  if (!next) throw new Error('no entry is waiting')
  await changeEntries(service.services.pool, { lockedBy: 'w' }, { id: next.id })
  await sql(service, `UPDATE job SET state = 'running' WHERE id = $1`, [next.key])
  return next
}
/** Runs the next job to its end. */
async function serve() {
  const { id, key } = await start()
  await deleteEntries(service.services.pool, { id })
  await sql(service, `UPDATE job SET state = 'done' WHERE id = $1`, [key])
}

describe('organizations take turns', () => {
  test('one job runs before the waiting jobs of another organization, whose job runs', async () => {
    await queue('A', 5)
    await start()
    await queue('B', 1)
    expect(await order()).toBe('BAAAA')
  })

  test('lines of several organizations are served in turns', async () => {
    await queue('A', 4)
    await queue('B', 3)
    await queue('C', 1)
    expect(await order()).toBe('ABCABABA')
  })

  test('uploads come before rebuilds, and each kind has turns of its own', async () => {
    await queue('A', 2, rebuild)
    await queue('B', 1, rebuild)
    await queue('A', 2)
    await queue('B', 1)
    expect(await order()).toBe('ABAABA')
  })

  test('the longest line does not reach the priority of the next kind', async () => {
    await sql(
      service,
      `INSERT INTO job (id, organization_id, kind) SELECT gen_random_uuid(), $1, 'process_track' FROM generate_series(1, $2::int)`,
      [ids.A, MAX_TURN + 5],
    )
    await queue('A', 1)
    expect((await inOrder())[0]?.priority).toBe(MAX_TURN)
    expect(MAX_TURN).toBeLessThan(PRIORITY_STEP)
    expect(2 * PRIORITY_STEP + MAX_TURN).toBeLessThan(2 ** 15)
  })
})

describe('a long recording takes several turns', () => {
  /** Queues a recording of an organization: the track that all jobs name gets its length. */
  const queueSound = async (letter: Letter, sound: { durationSeconds?: number; sourceBytes?: number }) => {
    const stored = { sourceBytes: null, ...sound }
    const upload = stored.sourceBytes === null ? null : { key: `source/${trackId}`, at: new Date() }
    const data = {
      durationSeconds: null,
      ...stored,
      sourceKey: upload?.key ?? null,
      uploadCompletedAt: upload?.at ?? null,
    }
    await service.services.db.track.update({ where: { id: trackId }, data })
    await queue(letter, 1)
  }
  const turns = async () =>
    (await sql(service, 'SELECT turns FROM job ORDER BY created_at, id')).rows.map((row) => row.turns)

  test.each([
    [{ durationSeconds: 0.1 }, 1],
    [{ durationSeconds: 300 }, 1],
    [{ durationSeconds: 300.1 }, 2],
    [{ durationSeconds: 43_200 }, 20],
    [{ sourceBytes: 12_000_000 }, 1],
    [{ sourceBytes: 12_000_001 }, 2],
    [{ durationSeconds: 10, sourceBytes: 2_000_000_000 }, 1],
    [{}, 1],
  ])('%p: %p', async (sound, expected) => {
    await queueSound('A', sound)
    expect(await turns()).toEqual([expected])
  })

  test('short ones of other organizations start before it, those of its own after it', async () => {
    await queueSound('A', { durationSeconds: 1200 })
    await queueSound('A', { durationSeconds: 1 })
    for (const letter of ['B', 'B', 'C'] as const) await queueSound(letter, { durationSeconds: 1 })
    expect(await order()).toBe('BCBAA')
    expect((await inOrder()).slice(3).map(({ priority }) => priority)).toEqual([3, 4])
  })

  test.each([
    { minutes: 3, expected: 'BA' },
    { minutes: 20, expected: 'AB' },
  ])('after $minutes minutes, and the one of another organization: $expected', async ({ minutes, expected }) => {
    await queueSound('A', { durationSeconds: 43_200 })
    await sql(service, `UPDATE job SET created_at = created_at - $1 * interval '1 minute'`, [minutes])
    await queueSound('B', { durationSeconds: 1 })
    await runTask(service.services, 'share_turns')
    expect(await order()).toBe(expected)
  })
})

describe('turns are shared again while the lines change', () => {
  const share = () => runTask(service.services, 'share_turns')

  test('the rest of a long line does not wait for all that was queued later', async () => {
    await queue('A', 6)
    for (let i = 0; i < 3; i++) await serve()
    await queue('B', 5)
    expect(await order()).toBe('BBBABABA')
    await share()
    expect(await order()).toBe('ABABABBB')
    // A second time changes nothing.
    await share()
    expect(await order()).toBe('ABABABBB')
  })

  test.each([
    { seconds: 180, minutesAgo: 59, expected: 'BBAA' },
    { seconds: 59, minutesAgo: 59, expected: 'ABAB' },
    { seconds: 180, minutesAgo: 61, expected: 'ABAB' },
  ])('$seconds s of processing that ended $minutesAgo minutes ago: $expected', async (row) => {
    await sql(
      service,
      `INSERT INTO job (id, organization_id, kind, state, spent_seconds, finished_at)
       VALUES (gen_random_uuid(), $1, 'process_track', 'failed', $2, now() - make_interval(mins => $3))`,
      [ids.A, row.seconds, row.minutesAgo],
    )
    await queue('A', 2)
    await queue('B', 2)
    await share()
    expect(await order()).toBe(row.expected)
  })

  test('running jobs count', async () => {
    await queue('A', 3)
    await start()
    await queue('B', 2)
    await share()
    expect(await order()).toBe('BABA')
  })

  test('entries of one organization alone, and those that wait for their time, stay as they are', async () => {
    await queue('A', 4)
    for (let i = 0; i < 2; i++) await serve()
    const places = (await inOrder()).map(({ id, priority }) => ({ id, priority }))
    await share()
    expect((await inOrder()).map(({ id, priority }) => ({ id, priority }))).toEqual(places)

    await queue('B', 2)
    const [first] = places
    if (!first) throw new Error('no entry is waiting')
    await changeEntries(service.services.pool, { dueIn: 3600 }, { id: first.id })
    await share()
    expect((await readEntry(service.services.pool, { id: first.id })).priority).toBe(first.priority)
    expect(await order()).toBe('ABB')
  })
})
