// `admin backup --into`: several backups in a folder or a bucket, what they share, what is removed, and every interruption.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { admin } from '../../src/cli/admin.ts'
import { backUpInto } from '../../src/cli/backup/back-up-into.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { locks } from '../../src/platform/db/locks.ts'
import { checkFingerprint } from '../../src/platform/identity/secret.ts'
import { createLog } from '../../src/platform/log.ts'
import { tone } from '../support/audio.ts'
import { type Bucket, startBucket } from '../support/bucket.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { processed } from '../support/processed.ts'
import { type Json, SECRET, startServiceOn, type TestService, useTestService } from '../support/service.ts'

const service = useTestService()
const restored: TestService[] = []
let folder: string
let bucket: Bucket

const urlOf = ({ services }: TestService) => services.pool.options.connectionString ?? ''
function configOf({ services, dataDir, ...rest }: TestService): Config {
  const { endpoint, region, accessKeyId, secretAccessKey } = bucket.settings
  return {
    ...loadConfig({ SECRET, DATA_DIR: dataDir, DATABASE_URL: urlOf({ services, dataDir, ...rest }) }),
    storage: services.config.storage,
    backup: {
      ...services.config.backup,
      s3: { endpoint, region, accessKeyId, secretAccessKey },
    },
  }
}
const run = (place: TestService, ...args: string[]): Promise<Json> =>
  admin(configOf(place), createLog('silent', 'json'), args, { note: () => {}, write: async () => {} })

/** A backup at midnight of a day of 2026-11. */
const backUpOn = (into: string, day: number, keep = 10) =>
  backUpInto(
    { url: urlOf(service), storage: service.services.storage, config: configOf(service) },
    { into, keep, hasSecret: false, note: () => {}, now: () => new Date(Date.UTC(2026, 10, day)) },
  )
const nameOf = (day: number) => `2026-11-${String(day).padStart(2, '0')}T00-00-00Z`
const objectsIn = async (into: string) =>
  (await readdir(join(into, 'files'), { recursive: true })).filter((name) => name.length > 64)

async function newPlace(): Promise<TestService> {
  const place = await startServiceOn(await emptyDatabase(), service)
  restored.push(place)
  return place
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-into-'))
  bucket = await startBucket()
  await checkFingerprint(service.services.pool, service.services.signing, 'the value')
  await processed(service, await tone(1), 'first.wav')
}, 60_000)
afterAll(async () => {
  bucket.stop()
  await Promise.all(restored.map((place) => place.stop()))
  await rm(folder, { recursive: true, force: true })
})

test('the second backup copies new objects only, and both are restored as a whole', async () => {
  const into = join(folder, 'two')
  const first = await backUpOn(into, 1)
  expect(first).toMatchObject({ folder: `${into}/${nameOf(1)}`, missing: 0, differing: 0, removed: [] })
  expect(first.copied).toBeGreaterThan(3)
  const second = await backUpOn(into, 2)
  expect(second).toMatchObject({ copied: 0, copied_bytes: 0, objects: first.objects })
  await processed(service, await tone(2), 'second.wav')
  const third = await backUpOn(into, 3)
  expect(third.copied).toBeGreaterThan(3)
  expect(third.copied).toBeLessThanOrEqual(third.objects - first.objects)
  expect((await readdir(into)).filter((name) => !name.startsWith('.')).sort()).toEqual([
    ...[1, 2, 3].map(nameOf),
    'files',
  ])
  expect(((await stat(into)).mode & 0o777).toString(8)).toBe('700')
  for (const [from, report] of [
    [`${into}/${nameOf(2)}`, second],
    [into, third],
  ] as const) {
    const place = await newPlace()
    const result = await run(place, 'restore', '--from', from)
    expect(result).toMatchObject({ created_at: report.created_at, files: report.objects, missing: 0, differing: 0 })
    const deep = await run(place, 'check-objects', '--deep', '--from', from)
    expect(deep).toMatchObject({ objects: report.objects, missing: 0, differing: 0 })
  }
}, 60_000)

test('a bucket has the same, and is restored from', async () => {
  bucket.listInPagesOf(7)
  const into = `s3://${bucket.settings.bucket}/kept/here`
  const first = await backUpOn(into, 1)
  expect(first.folder).toBe(`${into}/${nameOf(1)}`)
  bucket.requests.length = 0
  const second = await backUpOn(into, 2)
  expect(second).toMatchObject({ copied: 0, objects: first.objects })
  expect(bucket.requests.filter((request) => /^(PUT|POST) .*files\//.test(request))).toEqual([])
  // The last file makes it complete.
  expect(bucket.requests.filter((request) => request.startsWith('PUT ')).at(-1)).toContain(`${nameOf(2)}/SHA256SUMS`)
  for (const from of [into, `${into}/${nameOf(1)}`]) {
    const place = await newPlace()
    expect(await run(place, 'restore', '--from', from)).toMatchObject({ files: first.objects, missing: 0 })
  }
  expect(await backUpOn(into, 3, 1)).toMatchObject({ removed: [nameOf(2), nameOf(1)], copied: 0 })
  const place = await newPlace()
  await expect(run(place, 'restore', '--from', `${into}/${nameOf(1)}`)).rejects.toThrow(/is not a complete backup/)
  expect(await run(place, 'restore', '--from', into)).toMatchObject({ files: first.objects, missing: 0 })
}, 60_000)

describe('retention', () => {
  test('keeps the newest ones and the objects that they list, and removes the rest', async () => {
    const into = join(folder, 'old')
    await backUpOn(into, 1)
    const unlisted = join(into, 'files/ab', 'ab'.repeat(32))
    await mkdir(join(into, 'files/ab'), { recursive: true })
    await writeFile(unlisted, 'x')
    await backUpOn(into, 2)
    const before = (await objectsIn(into)).length
    const { removed } = await backUpOn(into, 3, 2)
    expect(removed).toEqual([nameOf(1)])
    expect(await readdir(into)).not.toContain(nameOf(1))
    expect(await Bun.file(unlisted).exists()).toBe(false)
    expect((await objectsIn(into)).length).toBeGreaterThanOrEqual(before)
    expect(await backUpOn(into, 4, 1)).toMatchObject({ removed: [nameOf(3), nameOf(2)], copied: 0, missing: 0 })
  })

  test('removes incomplete ones that are older than a day, which count for nothing', async () => {
    const into = join(folder, 'incomplete')
    for (const day of [1, 2, 3]) await backUpOn(into, day)
    await rm(join(into, nameOf(1), 'SHA256SUMS'))
    await rm(join(into, nameOf(3), 'SHA256SUMS'))
    // Exactly a day after the third.
    expect((await backUpOn(into, 4, 2)).removed).toEqual([nameOf(1)])
    expect((await backUpOn(into, 5, 3)).removed).toEqual([nameOf(3)])
    expect((await readdir(into)).filter((name) => name.startsWith('2')).sort()).toEqual([2, 4, 5].map(nameOf))
  })

  test('removes no bytes when a list cannot be read', async () => {
    const into = join(folder, 'damaged')
    await backUpOn(into, 1)
    await backUpOn(into, 2)
    const before = (await objectsIn(into)).sort()
    await writeFile(join(into, nameOf(1), 'objects.jsonl.gz'), 'x')
    await expect(backUpOn(into, 3)).rejects.toThrow()
    expect((await objectsIn(into)).sort()).toEqual(before)
    expect(await readdir(join(into, nameOf(3)))).toContain('SHA256SUMS')
  })
})

describe('a failure leaves the last backup as it was', () => {
  test('of the storage, and the next backup completes', async () => {
    const into = join(folder, 'failing')
    const first = await backUpOn(into, 1)
    await rename(join(into, 'files'), join(into, 'moved'))
    // Its objects have to be copied again, and one of them cannot.
    const [object] = (await service.objects.keys('files/')).slice(-1)
    const path = join(service.dataDir, 'storage', object ?? '')
    await rename(path, `${path}.away`)
    await symlink(path, path)
    try {
      await expect(backUpOn(into, 2)).rejects.toThrow()
    } finally {
      await rm(path)
      await rename(`${path}.away`, path)
    }
    expect((await readdir(into)).filter((name) => name.startsWith('2'))).toEqual([nameOf(1)])
    expect(await readdir(join(into, '.staging'))).toEqual([])
    expect(await backUpOn(into, 3)).toMatchObject({ objects: first.objects, missing: 0 })
  })

  test('of the bucket, at any file of the backup', async () => {
    const into = `s3://${bucket.settings.bucket}/failing`
    await backUpOn(into, 1)
    for (const file of ['database/', 'manifest.json', 'SHA256SUMS']) {
      bucket.intercept(({ method }, key) =>
        method === 'PUT' && key.includes(`${nameOf(2)}/${file}`) ? new Response(null, { status: 403 }) : null,
      )
      await expect(backUpOn(into, 2)).rejects.toThrow(/storage put .*403/)
      bucket.intercept(null)
      const place = await newPlace()
      expect(await run(place, 'restore', '--from', into)).toMatchObject({ created_at: '2026-11-01T00:00:00.000Z' })
      await clear(nameOf(2))
    }
  }, 60_000)

  async function clear(name: string): Promise<void> {
    const keys = (await bucket.keys('failing/')).filter((key) => key.includes(name))
    for (const key of keys) await bucket.remove(key)
  }
})

test('an object whose bytes changed is copied under their checksum, and the earlier backup keeps its own', async () => {
  const into = join(folder, 'changed')
  await backUpOn(into, 1)
  const key = (await service.objects.keys('files/'))[0] ?? ''
  const bytes = await service.objects.read(key)
  if (!bytes) throw new Error('no object')
  await rm(join(into, 'files'), { recursive: true })
  await service.objects.write(key, bytes.with(0, (bytes[0] ?? 0) ^ 1))
  const second = await backUpOn(into, 2)
  expect(second).toMatchObject({ differing: 1, differing_keys: [key] })
  await service.objects.write(key, bytes)
  expect(await backUpOn(into, 3)).toMatchObject({ differing: 0, copied: 1 })
})

describe('it refuses', () => {
  test('a second backup of the same database at once, and records the time of the last one', async () => {
    const { pool } = service.services
    const client = new Client({ connectionString: urlOf(service) })
    await client.connect()
    await client.query('SELECT pg_advisory_lock($1)', [locks.backup])
    await expect(backUpOn(join(folder, 'locked'), 1)).rejects.toThrow('another backup of this database is running')
    await client.end()
    await backUpOn(join(folder, 'unlocked'), 9)
    const { rows } = await pool.query('SELECT last_backup_at FROM installation')
    expect(rows[0].last_backup_at.toISOString()).toBe('2026-11-09T00:00:00.000Z')
    // The locks ended with the backup.
    await backUpOn(join(folder, 'unlocked'), 10)
  })

  test('a place with backups of another installation', async () => {
    const into = join(folder, 'foreign')
    await backUpOn(into, 1)
    const file = join(into, nameOf(1), 'manifest.json')
    const manifest = await Bun.file(file).json()
    await writeFile(file, JSON.stringify({ ...manifest, secret_fingerprint: 'x' }))
    await expect(backUpOn(into, 2)).rejects.toThrow(/has backups of another installation; name another place$/)
  })

  test.each([
    [['--into', '/proc/tonearm'], '--into: /proc/tonearm cannot be created'],
    [['--into', 's3://'], '--into: s3:// must be a folder or s3://BUCKET/PREFIX'],
    [['--into', '/tmp/x', '--keep', '0'], '--keep: must be a whole number of at least 1, got 0'],
    [['--into', '/tmp/x', '--to', '/tmp/y'], '--to: makes one backup; --into and --keep are for several'],
    [[], '--to or --into: is required, unless BACKUP_TO is set'],
  ])('%j', async (args, rule) => {
    await expect(run(service, 'backup', ...args)).rejects.toThrow(rule)
  })

  test('to restore a copy of a backup without its place', async () => {
    const into = join(folder, 'copied')
    await backUpOn(into, 1)
    await rename(join(into, nameOf(1)), join(folder, 'alone'))
    await expect(run(await newPlace(), 'restore', '--from', join(folder, 'alone'))).rejects.toThrow(
      /^--from: the objects of .* are in the folder that it was made in/,
    )
    await expect(run(await newPlace(), 'restore', '--from', `s3://${bucket.settings.bucket}/none`)).rejects.toThrow(
      /^--from: s3:.*none has no complete backup$/,
    )
  })
})
