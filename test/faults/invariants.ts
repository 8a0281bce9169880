// Rules that hold for a deployment after any fault.
import { expect } from 'bun:test'
import { readdir, utimes } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { storedKeys } from '../../src/domain/track/file/bytes.ts'
import { createLocalStorage } from '../../src/platform/storage/local.ts'
import { readEntries } from '../support/queue.ts'
import { until } from '../support/until.ts'
import { call, listen, type Uploaded } from './client.ts'
import type { Deployment } from './deployment.ts'
import { processesOn } from './process.ts'

/** Variants of the demo that make a file of a recording without a picture. */
const VARIANTS = ['hq', 'lq', 'original', 'preview', 'waveform']
const HOUR_MS = 3_600_000
const ENDED = ['ready', 'incomplete', 'error', 'init_error']

/** Time until every track has ended: ample for a machine that runs something else, short of the timeout of a test. */
const END_LIMIT_MS = 240_000

/** Waits until all tracks have ended, and checks them, their events, webhooks, plays and objects. */
export async function expectIntact(deployment: Deployment, uploads: readonly Uploaded[]): Promise<void> {
  expect(uploads.length).toBeGreaterThan(0)
  await untilEnded(deployment, uploads)
  await expectReady(deployment, uploads)
  await expectEvents(deployment, uploads)
  await expectNoOrphans(deployment)
}

async function untilEnded({ database }: Deployment, uploads: readonly Uploaded[]): Promise<void> {
  const ids = uploads.map(({ trackId }) => trackId)
  let open: object[] = []
  await until('every track to end', END_LIMIT_MS, async () => {
    open = await database.query(
      `SELECT t.id, t.status, t.status_code, j.state, j.attempts, j.crashes, j.retry_at, now()
       FROM track t LEFT JOIN job j ON j.track_id = t.id
       WHERE t.id = ANY($1::uuid[]) AND NOT (t.status::text = ANY($2))`,
      [ids, ENDED],
    )
    return open.length === 0
  }).catch(async (error) => {
    const entries = await database.withClient(readEntries)
    throw new Error(`${error.message}: ${JSON.stringify({ open, entries }, null, 1)}`)
  })
}

async function expectReady(deployment: Deployment, uploads: readonly Uploaded[]): Promise<void> {
  for (const { trackId, sha256 } of uploads) {
    const { track, files } = await call(deployment, 'GET', `/track/${trackId}`)
    expect([trackId, track.track_status_id, track.status_code]).toEqual([trackId, 'ready', null])
    const indexes = files.map((file: { variant: { index: string } }) => file.variant.index).sort()
    expect([trackId, ...indexes]).toEqual([trackId, ...VARIANTS])
    expect(files.map((file: { is_success: boolean }) => file.is_success)).toEqual(VARIANTS.map(() => true))
    const stored = await deployment.database.query('SELECT source_sha256 FROM track WHERE id = $1', [trackId])
    expect(stored).toEqual([{ source_sha256: sha256 }])
    expect(await listen(deployment, trackId)).toBeGreaterThan(0)
  }
}

/** Each end of a track and each file has one event, and each event arrived as a webhook with the same content. */
async function expectEvents({ database, webhooks }: Deployment, uploads: readonly Uploaded[]): Promise<void> {
  const ids = uploads.map(({ trackId }) => trackId)
  const counts = await database.query(
    `SELECT track_id, type, count(*)::int AS events, count(DISTINCT data -> 'file' ->> 'id')::int AS files
     FROM event WHERE track_id = ANY($1::uuid[]) GROUP BY 1, 2 ORDER BY 1, 2`,
    [ids],
  )
  const each = [...ids].sort().flatMap((track_id) => [
    { track_id, type: 'track.status_changed', events: 1, files: 0 },
    { track_id, type: 'track_file.created', events: VARIANTS.length, files: VARIANTS.length },
  ])
  expect(counts).toEqual(each)
  const all = await database.query<{ id: string }>('SELECT id FROM event WHERE track_id = ANY($1::uuid[])', [ids])
  await until('every webhook to arrive', 120_000, () => all.every(({ id }) => webhooks.has(id)))
  expect([...webhooks].filter(([, contents]) => contents.size !== 1)).toEqual([])
}

/** After the purge, storage contains exactly the objects that rows name. */
async function expectNoOrphans(deployment: Deployment): Promise<void> {
  const { database } = deployment
  // The purge leaves objects of unfinished attempts for a day.
  await database.query("UPDATE unused_object SET remove_after = now() - interval '1 second'")
  await database.query("SELECT graphile_worker.add_job('purge_deleted', job_key => 'purge-of-test')")
  await until('the purge', 60_000, async () => {
    const entries = await database.withClient((client) => readEntries(client, { key: 'purge-of-test' }))
    const objects = await database.query('SELECT key FROM unused_object WHERE remove_after < now()')
    return entries.length + objects.length === 0
  })
  const sources = await database.query<{ key: string }>(
    `SELECT source_key AS key FROM track WHERE source_key IS NOT NULL AND purged_at IS NULL
     UNION ALL SELECT cover_source_key FROM track WHERE cover_source_key IS NOT NULL AND purged_at IS NULL
     UNION ALL SELECT key FROM unused_object`,
  )
  const files = await database.query<Parameters<typeof storedKeys>[0]>(
    'SELECT storage_key AS "storageKey", data FROM track_file',
  )
  const named = new Set([...sources.map(({ key }) => key), ...files.flatMap(storedKeys)])
  // Of the readiness check of a bucket.
  if (deployment.bucket) named.add('.tonearm-check')
  // An upload that an edge did not finish because it was killed stays for a day after its last byte.
  else await createLocalStorage(rootOf(deployment)).removeUnfinished(new Date(Date.now() + HOUR_MS))
  const stored = await objectsOf(deployment)
  expect(stored.filter((key) => !named.has(key))).toEqual([])
  expect([...named].filter((key) => !stored.includes(key))).toEqual([])
}

/** The storage folder, as a worker sees it. */
const rootOf = ({ anyOf, seenBy, storageFolder }: Deployment) => seenBy(anyOf('worker'), storageFolder)

async function objectsOf(deployment: Deployment): Promise<string[]> {
  if (deployment.bucket) return deployment.bucket.keys('')
  const root = rootOf(deployment)
  const files = await readdir(root, { recursive: true, withFileTypes: true })
  return files.filter((file) => file.isFile()).map((file) => relative(root, join(file.parentPath, file.name)))
}

/** Stops all members; nothing of them may be left. */
export async function expectCleanStop(deployment: Deployment): Promise<void> {
  const { members, database, scratch } = deployment
  // A worker that starts removes scratch that no process has marked for an hour.
  const longAgo = new Date(Date.now() - 2 * HOUR_MS)
  for (const name of await readdir(scratch)) await utimes(join(scratch, name), longAgo, longAgo)
  await deployment.startMember(['worker'])
  for (const { child } of members) child.kill('SIGTERM')
  expect(await Promise.all(members.map(({ child }) => child.exited))).toEqual(members.map(() => 0))
  const remainingProcesses = await Promise.all(deployment.folders().map(processesOn))
  expect(remainingProcesses.flat()).toEqual([])
  expect((await readdir(scratch)).filter((name) => name.startsWith('tonearm-'))).toEqual([])
  const locks = await database.query(`SELECT locktype, objid, mode FROM pg_locks WHERE locktype = 'advisory'`)
  expect(locks).toEqual([])
  await until('all connections to end', 10_000, async () => {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    )
    return row?.count === 0
  })
  expect(await database.withClient((client) => readEntries(client, { isLocked: true }))).toEqual([])
  expect(await database.query('SELECT id FROM worker_pool')).toEqual([])
}
