// Backups that the service makes by itself: when, by one process, and what an operator sees of them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { admin } from '../../src/cli/admin.ts'
import { isBackupDue, startBackups } from '../../src/cli/backup/schedule.ts'
import { databaseChecks } from '../../src/cli/doctor/database.ts'
import { createGauges } from '../../src/cli/gauges.ts'
import { loadConfig } from '../../src/config.ts'
import { readBackupTimes, recordBackup, recordDrill } from '../../src/platform/db/backup-times.ts'
import { checkFingerprint } from '../../src/platform/identity/secret.ts'
import { createLog } from '../../src/platform/log.ts'
import { SECRET, useTestService } from '../support/service.ts'

const service = useTestService()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-schedule-'))
  // As every start does.
  await checkFingerprint(service.services.pool, service.services.signing, 'the value')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const DAY_MS = 86_400_000

test.each([
  ['2026-11-24T02:59:59Z', '2026-11-23T03:00:00Z', false],
  ['2026-11-24T02:59:59Z', '2026-11-23T02:59:59Z', true],
  ['2026-11-24T03:00:00Z', '2026-11-24T02:59:59Z', true],
  ['2026-11-24T03:00:00Z', '2026-11-24T03:00:00Z', false],
  ['2026-11-24T23:59:00Z', '2026-11-24T03:00:05Z', false],
  ['2026-11-24T12:00:00Z', null, true],
])('at %s, after one of %s, a backup at 03:00 is due: %p', (now, last, isDue) => {
  expect(isBackupDue(new Date(now), '03:00', last === null ? null : new Date(last))).toBe(isDue)
})

/** The schedule of a process. Its minutes are calls of `check`. */
function scheduleInto(to: string | undefined, clock: () => Date) {
  const { services } = service
  const config = { ...services.config, secret: SECRET, backup: { ...services.config.backup, to } }
  const backups = startBackups({ ...services, config, clock })
  backups?.stop()
  return backups
}
const namesIn = async (into: string) => (await readdir(into)).filter((name) => name.startsWith('2')).sort()

test('it makes one a day, by any number of processes, and is off without BACKUP_TO', async () => {
  const into = join(folder, 'daily')
  let now = new Date('2030-01-01T12:00:00Z')
  const schedules = [1, 2].map(() => scheduleInto(into, () => now))
  const minute = () => Promise.all(schedules.map((schedule) => schedule?.check()))
  await minute()
  await minute()
  expect(await namesIn(into)).toEqual(['2030-01-01T12-00-00Z'])
  now = new Date('2030-01-02T02:59:00Z')
  await minute()
  expect(await namesIn(into)).toHaveLength(1)
  now = new Date('2030-01-03T03:00:00Z')
  await schedules[1]?.check()
  await schedules[0]?.check()
  expect(await namesIn(into)).toEqual(['2030-01-01T12-00-00Z', '2030-01-03T03-00-00Z'])
  expect(scheduleInto(undefined, () => now)).toBeNull()
})

test('it tries again an hour after a failure', async () => {
  const into = join(folder, 'retried')
  await writeFile(into, 'not a folder')
  let now = new Date('2031-01-01T12:00:00Z')
  const schedule = scheduleInto(into, () => now)
  await schedule?.check()
  await rm(into)
  now = new Date('2031-01-01T12:59:59Z')
  await schedule?.check()
  expect(await readdir(folder)).not.toContain('retried')
  now = new Date('2031-01-01T13:00:00Z')
  await schedule?.check()
  expect(await namesIn(into)).toEqual(['2031-01-01T13-00-00Z'])
})

describe('an operator sees', () => {
  const GAUGE = 'tonearm_backup_last_success_timestamp_seconds'
  const readGauge = async (to: string | undefined) => {
    const { services } = service
    const config = { ...services.config, backup: { ...services.config.backup, to } }
    return (await createGauges({ ...services, config }).metrics()).split('\n').find((line) => line.startsWith(GAUGE))
  }

  test('the time of the last backup as a metric, only where one is scheduled', async () => {
    const { pool } = service.services
    await pool.query('UPDATE installation SET last_backup_at = NULL')
    expect(await readGauge('/backups')).toBe(`${GAUGE} 0`)
    await recordBackup(pool, new Date('2026-11-24T03:00:00Z'))
    expect(await readGauge('/backups')).toBe(`${GAUGE} 1795489200`)
    expect(await readGauge(undefined)).toBeUndefined()
  })

  const check = async (env: Record<string, string>) => {
    const backups = databaseChecks.find(({ name }) => name === 'backups')
    const findings = await backups?.run(service.services.pool, loadConfig(env))
    return findings?.map(({ level }) => level)
  }
  const BACKUP_TO = '/backups'

  test('in doctor a late backup, and a drill that is 90 days old or was never made', async () => {
    const { pool } = service.services
    await pool.query('UPDATE installation SET last_backup_at = NULL, last_drill_at = NULL')
    expect(await check({})).toEqual(['ok'])
    expect(await check({ BACKUP_TO })).toEqual(['warning'])
    await recordBackup(pool, new Date(Date.now() - 1.4 * DAY_MS))
    expect(await check({ BACKUP_TO })).toEqual(['ok', 'warning'])
    await recordBackup(pool, new Date(Date.now() - 1.6 * DAY_MS))
    await recordDrill(pool, new Date(Date.now() - 89 * DAY_MS))
    expect(await check({ BACKUP_TO })).toEqual(['warning', 'ok'])
    await recordDrill(pool, new Date(Date.now() - 91 * DAY_MS))
    expect(await check({})).toEqual(['ok', 'warning'])
    const url = pool.options.connectionString ?? ''
    const config = loadConfig({ SECRET, DATA_DIR: folder, DATABASE_URL: url })
    await admin(config, createLog('silent', 'json'), ['record-drill'], { note: () => {}, write: async () => {} })
    expect((await readBackupTimes(pool)).lastDrillAt?.getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect(await check({})).toEqual(['ok', 'ok'])
  })
})
