// `admin backup` and `admin restore`: an empty place continues as the service was, and every refusal.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { admin } from '../../src/cli/admin.ts'
import { hashBackupFile, type Manifest } from '../../src/cli/backup/format.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { listTables, readSequences, type Sequence, writeTableName } from '../../src/platform/db/tables.ts'
import { checkFingerprint } from '../../src/platform/identity/secret.ts'
import { createLog } from '../../src/platform/log.ts'
import { tone } from '../support/audio.ts'
import { runTask } from '../support/jobs.ts'
import { pngOf } from '../support/picture.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { processed, readTrack } from '../support/processed.ts'
import { deliverDue, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Json, SECRET, startServiceOn, type TestService, uploadTrack, useTestService } from '../support/service.ts'
import { untilBlocked } from '../support/until.ts'

const service = useTestService()
const silent = createLog('silent', 'json')
const notes: string[] = []
let folder: string
let receiver: Receiver
const restored: TestService[] = []

const urlOf = ({ services }: TestService) => services.pool.options.connectionString ?? ''
/** Settings of a service in this process, with those of its storage. */
const configOf = ({ services, dataDir }: TestService, env: Record<string, string> = {}): Config => ({
  ...loadConfig({ SECRET, DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env }),
  storage: services.config.storage,
})
const run = (config: Config, ...args: string[]): Promise<Json> =>
  admin(config, silent, args, { note: (text) => notes.push(text), write: async () => {} })
const backUp = (name: string, ...flags: string[]) =>
  run(configOf(service, { DATABASE_URL: urlOf(service) }), 'backup', '--to', join(folder, name), ...flags)

/** An empty database and an empty storage. */
async function newPlace(): Promise<{ place: TestService; config: Config }> {
  const place = await startServiceOn(await emptyDatabase(), service)
  restored.push(place)
  return { place, config: configOf(place, { DATABASE_URL: urlOf(place) }) }
}

/** Rows of every table, by its name. */
async function countsOf(url: string): Promise<Record<string, number>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const counts: Record<string, number> = {}
    for (const table of await listTables(client)) {
      const { rows } = await client.query(`SELECT count(*)::int AS n FROM ONLY ${writeTableName(table)}`)
      counts[writeTableName(table)] = rows[0].n
    }
    return counts
  } finally {
    await client.end()
  }
}

const manifestOf = (name: string): Promise<Manifest> => Bun.file(join(folder, name, 'manifest.json')).json()

let ready: Json
let waiting: string
let counts: Record<string, number>
let report: Json
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-backup-'))
  receiver = startReceiver()
  const { db, pool, signing } = service.services
  await checkFingerprint(pool, signing, 'the value')
  const secrets = [signing.seal(`whsec_${Buffer.alloc(32, 1).toString('base64')}`)]
  await db.webhookEndpoint.create({
    data: { organizationId: service.demo.organization_id, url: receiver.at(), secrets },
  })
  const { json: album } = await service.v1('POST', '/collection', { body: { title: 'With a cover' } })
  const picture = new Blob([pngOf({ width: 64, height: 64, channels: 3 }, new Uint8Array(64 * 64 * 3).fill(90))])
  await service.fetchEdge(album.collection_cover_upload.upload_url, { method: 'PUT', body: picture })
  ready = await processed(service, await tone(2), 'ready.wav')
  const deleted = await processed(service, await tone(1), 'deleted.wav')
  await service.v1('DELETE', `/track/${deleted.id}`)
  await service.request('GET', `/v1/stream/${ready.id}/${service.demo.share_key}`)
  await service.services.pool.query(`SELECT ledger.add_month('2024-02-01Z')`)
  await service.services.pool.query(
    `INSERT INTO play_event SELECT gen_random_uuid(), organization_id, key_id, track_id, variant_id, collection_id,
       creator_id, '2024-02-10Z' FROM play_event LIMIT 1`,
  )
  // Its job is queued and does not run before the backup.
  waiting = await uploadTrack(service, await tone(1), 'waiting.wav')
  counts = await countsOf(urlOf(service))
  report = await backUp('full', '--with-files', '--with-secret')
}, 60_000)
afterAll(async () => {
  receiver.stop()
  await Promise.all(restored.map((place) => place.stop()))
  await rm(folder, { recursive: true, force: true })
})

describe('a backup', () => {
  test('has every row, the sizes and checksums of all objects, and files for their owner only', async () => {
    const manifest = await manifestOf('full')
    const rows = Object.fromEntries(manifest.tables.map((table) => [writeTableName(table), table.rows]))
    expect(rows).toEqual(counts)
    expect(Object.values(counts).filter((n) => n > 0).length).toBeGreaterThan(15)
    expect(rows['"ledger"."play_event_2024_02"']).toBe(1)
    const keys = (await service.objects.keys()).filter((key) => !key.startsWith('.'))
    expect(report).toMatchObject({ objects: keys.length, missing: 0, differing: 0, version: manifest.version })
    expect(keys.length).toBeGreaterThan(15)
    expect(
      (await readdir(join(folder, 'full/files'), { recursive: true })).filter((key) => keys.includes(key)),
    ).toEqual(expect.arrayContaining(keys))
    const modes = await Promise.all(
      ['secret', 'manifest.json', `files/${keys[0]}`].map(
        async (file) => (await stat(join(folder, 'full', file))).mode,
      ),
    )
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o600, 0o600, 0o600])
    expect(notes.join('\n')).not.toContain(SECRET)
  })

  test('has checksums that sha256sum verifies, and no secret unless it is asked for', async () => {
    await backUp('small')
    const files = await readdir(join(folder, 'small'))
    expect(files.sort()).toEqual(['SHA256SUMS', 'database', 'manifest.json', 'objects.jsonl.gz'])
    const sums = await Bun.file(join(folder, 'small/SHA256SUMS')).text()
    for (const line of sums.trim().split('\n')) {
      const [sum = '', file = ''] = line.split('  ')
      expect(await hashBackupFile(join(folder, 'small', file))).toBe(sum)
    }
    expect((await manifestOf('small')).has_secret).toBe(false)
  })

  test('reports an object that is missing, and one that differs', async () => {
    const [first = '', second = ''] = (await service.objects.keys()).filter((key) => key.startsWith('files/'))
    const bytes = await service.objects.read(first)
    const other = await service.objects.read(second)
    if (!bytes || !other) throw new Error('no objects')
    await service.objects.remove(first)
    await service.objects.write(second, other.with(0, (other[0] ?? 0) ^ 1))
    try {
      const backupReport = await backUp('broken', '--with-files')
      expect(backupReport).toMatchObject({ missing: 1, missing_keys: [first], differing: 1, differing_keys: [second] })
      const config = configOf(service, { DATABASE_URL: urlOf(service) })
      expect(await run(config, 'check-objects')).toMatchObject({ missing_keys: [first], differing: 0 })
      const deep = await run(config, 'check-objects', '--deep', '--from', join(folder, 'full'))
      expect(deep).toMatchObject({ objects: report.objects, missing_keys: [first], differing_keys: [second] })
    } finally {
      await service.objects.write(first, bytes)
      await service.objects.write(second, other)
    }
  })

  test('lets the purge wait until it ends', async () => {
    const { pool } = service.services
    const client = new Client({ connectionString: urlOf(service) })
    await client.connect()
    const purgedAt = async () =>
      (await pool.query(`SELECT purged_at FROM track WHERE file_name = 'deleted.wav'`)).rows[0].purged_at
    try {
      await pool.query(`UPDATE track SET deleted_at = now() - interval '8 days' WHERE file_name = 'deleted.wav'`)
      await client.query('BEGIN; LOCK TABLE creator')
      const running = backUp('slow')
      await untilBlocked(pool)
      await runTask(service.services, 'purge_deleted')
      expect(await purgedAt()).toBeNull()
      await client.query('ROLLBACK')
      // Its objects may be removed from now on: they are listed with that time, and are not missing afterwards.
      const { objects } = await running
      await runTask(service.services, 'purge_deleted')
      expect(await purgedAt()).toBeInstanceOf(Date)
      const config = configOf(service, { DATABASE_URL: urlOf(service) })
      const after = await run(config, 'check-objects', '--from', join(folder, 'slow'))
      expect(after).toMatchObject({ objects, missing: 0 })
      expect((await service.objects.keys()).filter((key) => !key.startsWith('.')).length).toBeLessThan(objects)
    } finally {
      await client.end()
    }
  })

  test.each([
    ['a folder that cannot be created', ['--to', '/proc/tonearm'], '--to: /proc/tonearm cannot be created'],
    ['a folder with files', ['--to', 'full'], /^--to: .* is not empty; name a new folder/],
    ['no folder', [], /^--to or --into: is required, unless BACKUP_TO is set$/],
  ])('refuses %s', async (_, args, rule) => {
    const config = configOf(service, { DATABASE_URL: urlOf(service) })
    const paths = args.map((arg) => (arg === 'full' ? join(folder, 'full') : arg))
    await expect(run(config, 'backup', ...paths)).rejects.toThrow(rule)
  })

  test('refuses another secret, pending migrations, and a database of a later release', async () => {
    const env = { DATABASE_URL: urlOf(service) }
    const other = configOf(service, { ...env, SECRET: 'another-secret-of-more-than-32-characters' })
    await expect(run(other, 'backup', '--to', join(folder, 'a'))).rejects.toThrow(
      /^SECRET: the value is not the secret/,
    )
    const change = (sql: string) => service.services.pool.query(sql)
    const { migrations } = await manifestOf('full')
    await change(`UPDATE schema_migration SET name = '9_later' WHERE name LIKE '%_initial'`)
    try {
      await expect(backUp('b')).rejects.toThrow('the database has from another release the migration 9_later; make')
      await change('DELETE FROM schema_migration')
      await expect(backUp('c')).rejects.toThrow(/the database does not have yet the migration \d+_initial; make/)
    } finally {
      await change('DELETE FROM schema_migration')
      for (const { name, checksum } of migrations) {
        await service.services.pool.query('INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)', [
          name,
          checksum,
        ])
      }
    }
  })
})

describe('a restore into an empty place', () => {
  let place: TestService
  let result: Json
  let sequences: Sequence[]
  beforeAll(async () => {
    const home = await newPlace()
    place = home.place
    result = await run(home.config, 'restore', '--from', join(folder, 'full'))
    sequences = await readSequences(place.services.pool as unknown as Client)
    // As the next start does, which applies the definitions of functions and triggers.
    await migrate(urlOf(place))
  }, 30_000)

  test('has every row and every object', async () => {
    expect(await countsOf(urlOf(place))).toEqual(counts)
    expect(result).toMatchObject({
      objects: report.objects,
      files: report.objects,
      missing: 0,
      differing: 0,
      rows: report.rows,
      pending_migrations: [],
    })
    const keys = await place.objects.keys()
    expect(keys).toEqual(expect.arrayContaining(await service.objects.keys(`files/`)))
  })

  test('has the same schema, sequences and foreign keys', async () => {
    const describeDatabase = async ({ services }: TestService) =>
      (
        await services.pool.query(
          `SELECT conrelid::regclass::text AS part, conname AS name, pg_get_constraintdef(oid) AS text, convalidated::text AS state
             FROM pg_constraint WHERE connamespace::regnamespace::text IN ('public', 'ledger')
           UNION ALL SELECT tgrelid::regclass::text, tgname, tgenabled::text, '' FROM pg_trigger WHERE NOT tgisinternal
           UNION ALL SELECT schemaname, indexname, indexdef, '' FROM pg_indexes WHERE schemaname IN ('public', 'ledger')
           ORDER BY 1, 2`,
        )
      ).rows
    const [before, after] = [await describeDatabase(service), await describeDatabase(place)]
    expect(after.length).toBeGreaterThan(100)
    expect(after).toEqual(before)
    const stored = (await manifestOf('full')).sequences
    expect(stored.length).toBeGreaterThan(2)
    expect(sequences).toEqual(stored.map(({ is_called: isCalled, ...sequence }) => ({ ...sequence, isCalled })))
  })

  test('plays a track by its stream link', async () => {
    const link = await place.request('GET', `/v1/stream/${ready.id}/${place.demo.share_key}`)
    expect(link.status).toBe(302)
    const file = await place.fetchEdge(link.headers.get('location') ?? '')
    expect(file.status).toBe(200)
    const original = await service.fetchEdge((await readTrack(service, ready.id)).files.hq.url)
    expect(await file.bytes()).toEqual(await original.bytes())
  })

  test('continues an unfinished processing job', async () => {
    expect((await readTrack(place, waiting)).track.track_status_id).toBe('initialized')
    await place.runJobs()
    const { track, files } = await readTrack(place, waiting)
    expect(track.track_status_id).toBe('ready')
    expect((await place.fetchEdge(files.hq.url)).status).toBe(200)
  })

  test('sends the webhooks that were not delivered at the time of the backup, each once', async () => {
    const { rows } = await place.services.pool.query(
      `SELECT count(*)::int AS n FROM webhook_delivery WHERE state = 'pending'`,
    )
    expect(rows[0].n).toBeGreaterThan(3)
    expect(await deliverDue(place)).toBe(rows[0].n)
    expect(await deliverDue(place)).toBe(0)
  })

  test('is refused a second time', async () => {
    const config = configOf(place, { DATABASE_URL: urlOf(place) })
    await expect(run(config, 'restore', '--from', join(folder, 'full'))).rejects.toThrow(
      /^the database is not empty: it has the table "\w+"; restore into a new database$/,
    )
  })
})

test('a restore creates the embedded database and stores the secret, so that a start finds its own', async () => {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const config = { ...configOf(service, { DATA_DIR: dataDir }), secret: undefined }
  await expect(run(config, 'restore', '--from', join(folder, 'small'))).rejects.toThrow(
    /^SECRET: the backup does not contain the secret; set SECRET, or write the original one to .*\/secret$/,
  )
  expect(await readdir(dataDir)).toEqual([])
  expect(await run(config, 'restore', '--from', join(folder, 'full'))).toMatchObject({ rows: report.rows })
  expect(await Bun.file(join(dataDir, 'secret')).text()).toBe(SECRET)
  expect(((await stat(join(dataDir, 'secret'))).mode & 0o777).toString(8)).toBe('600')
  expect(await run(config, 'list-organizations')).toHaveLength(1)
}, 30_000)

describe('a restore refuses', () => {
  let empty: Awaited<ReturnType<typeof newPlace>> | undefined
  /** A copy of a backup, to damage it. */
  async function copyOf(name: string, change: (at: string) => Promise<unknown>): Promise<string> {
    const at = await mkdtemp(join(folder, 'copy-'))
    await cp(join(folder, name), at, { recursive: true })
    await change(at)
    return at
  }
  /** Changes the manifest, and its line in the list of checksums. */
  const editManifest = (edit: (manifest: Json) => void) => async (at: string) => {
    const file = join(at, 'manifest.json')
    const sum = await hashBackupFile(file)
    const manifest = await Bun.file(file).json()
    edit(manifest)
    await writeFile(file, JSON.stringify(manifest))
    const sums = await Bun.file(join(at, 'SHA256SUMS')).text()
    await writeFile(join(at, 'SHA256SUMS'), sums.replace(sum, await hashBackupFile(file)))
  }
  const append = (file: string) => async (at: string) =>
    writeFile(join(at, file), Buffer.concat([Buffer.from(await Bun.file(join(at, file)).bytes()), Buffer.from('x')]))

  test.each<[what: string, change: (at: string) => Promise<unknown>, rule: RegExp]>([
    ['an incomplete backup', (at) => rm(join(at, 'SHA256SUMS')), /is not a complete backup: it has no SHA256SUMS$/],
    ['a changed file', append('database/public.track.copy.gz'), /damaged: database\/public.track.copy.gz differs from/],
    ['a missing file', (at) => rm(join(at, 'objects.jsonl.gz')), /damaged: objects.jsonl.gz cannot be read$/],
    ['a changed manifest', append('manifest.json'), /damaged: manifest.json differs from its checksum$/],
    [
      'another format',
      editManifest((manifest) => Object.assign(manifest, { format: 2 })),
      /is of another format: format: /,
    ],
    [
      'a later release',
      editManifest((manifest) => manifest.migrations.push({ name: '9_later', checksum: '' })),
      /^--from: the backup is of release .*, whose migration 9_later does not exist in this release \(.*\); restore it with that release or a later one$/,
    ],
    [
      'changed migrations',
      editManifest((manifest) => Object.assign(manifest.migrations[0], { checksum: 'x' })),
      /has another content in this release/,
    ],
    [
      'another queue',
      editManifest((manifest) => Object.assign(manifest, { queue_migration: 1 })),
      /^--from: the queue of the backup has version 1, that of this release \d+; restore it with release .*, then upgrade$/,
    ],
    [
      'another number of rows',
      editManifest((manifest) => manifest.tables.find(({ name }: Json) => name === 'track').rows++),
      /^--from: the backup is damaged: database\/public.track.copy.gz has 3 of 4 rows$/,
    ],
    [
      'an unknown column',
      editManifest((manifest) => manifest.tables.find(({ name }: Json) => name === 'track').columns.push('x')),
      /^--from: the backup does not fit its migrations: column x of public.track is unknown$/,
    ],
  ])('%s, and leaves the database empty', async (_, change, rule) => {
    empty ??= await newPlace()
    const { place, config } = empty
    const at = await copyOf('small', change)
    await expect(run(config, 'restore', '--from', at)).rejects.toThrow(rule)
    const client = new Client({ connectionString: urlOf(place) })
    await client.connect()
    const { rows } = await client.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
    await client.end()
    expect(rows).toEqual([])
  })

  test('a damaged file of an object', async () => {
    const key = (await service.objects.keys('files/'))[0] ?? ''
    const at = await copyOf('full', append(`files/${key}`))
    const { config } = await newPlace()
    await expect(run(config, 'restore', '--from', at)).rejects.toThrow(
      `damaged: files/${key} differs from its checksum`,
    )
  })

  test('another secret', async () => {
    const { place } = await newPlace()
    const other = configOf(place, { DATABASE_URL: urlOf(place), SECRET: 'another-secret-of-more-than-32-characters' })
    await expect(run(other, 'restore', '--from', join(folder, 'full'))).rejects.toThrow(
      /^SECRET: the value is not the secret of the backup; set that one/,
    )
  })

  test('a database with tables of another program', async () => {
    const { place, config } = await newPlace()
    await place.services.pool.query('CREATE TABLE customer ()')
    await expect(run(config, 'restore', '--from', join(folder, 'small'))).rejects.toThrow(
      'the database is not empty: it has the table "customer"',
    )
  })

  test('nothing when storage lacks objects: it reports them', async () => {
    const { config } = await newPlace()
    const result = await run(config, 'restore', '--from', join(folder, 'small'))
    expect(result.missing).toBe(result.objects)
    expect(result.missing_keys.length).toBeLessThanOrEqual(100)
    expect(result.missing).toBeGreaterThan(15)
  })
})
