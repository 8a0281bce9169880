import { join } from 'node:path'
import type { Pool } from 'pg'
import type { Config } from '../../config.ts'
import { readBackupTimes } from '../../platform/db/backup-times.ts'
import { checkConnection, isUnlimited, UNLIMITED } from '../../platform/db/connect.ts'
import { checkEmbeddedPostgres, findEmbeddedPostgres } from '../../platform/db/embedded.ts'
import { readMigrationState, requiredExtensions } from '../../platform/db/migrate.ts'
import { openReplica } from '../../platform/db/replica.ts'
import { nameSecretOrigin, readFingerprint, rootSecret } from '../../platform/identity/secret.ts'
import { createSigning } from '../../platform/identity/signing.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { roundTo } from '../../platform/number.ts'
import { checkDatabase, findReplicaOutage } from '../check-database.ts'
import { readClockSkew, WARNING_SECONDS } from '../clock-skew.ts'
import { countConnections } from '../processes/members.ts'
import { type DatabaseCheck, type DoctorFinding, describeError, ok, problem, warning } from './finding.ts'
import { installationCheck } from './identity.ts'

/** Difference in seconds from which delivery addresses are refused. */
const MAX_SKEW_SECONDS = 30

interface Found {
  /** Null while the database cannot be checked: the embedded one does not run, or there is a problem. */
  url: string | null
  finding: DoctorFinding
}

/** Finds the database without starting one. */
export async function findDatabase(config: Config): Promise<Found> {
  try {
    return await find(config)
  } catch (error) {
    const remedy = config.databaseUrl
      ? 'Start the database, or correct DATABASE_URL. Its content was not checked.'
      : 'Set DATABASE_URL to a PostgreSQL server, or correct DATA_DIR.'
    return { url: null, finding: problem(describeError(error), remedy) }
  }
}

async function find(config: Config): Promise<Found> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config
  if (databaseUrl) {
    await checkDatabase(config, databaseUrl)
    const names = databaseDirectUrl ? 'DATABASE_URL and DATABASE_DIRECT_URL answer' : 'DATABASE_URL answers'
    return { url: databaseUrl, finding: ok(names) }
  }
  const embedded = await findEmbeddedPostgres(join(dataDir, 'postgres'))
  if (embedded?.url) {
    await checkConnection(embedded.url, 'DATA_DIR')
    return { url: embedded.url, finding: ok(`the embedded PostgreSQL in ${dataDir} is running and answers`) }
  }
  await checkEmbeddedPostgres()
  const text = embedded
    ? `the embedded PostgreSQL in ${dataDir} does not run: start the service to have its content checked`
    : `embedded; the first start creates it in ${dataDir}`
  return { url: null, finding: ok(text) }
}

export const databaseChecks: DatabaseCheck[] = [
  { name: 'migrations', run: checkMigrations },
  { name: 'extensions', run: checkExtensions },
  { name: 'pooler', run: checkPooler },
  { name: 'replica', run: checkReadReplica },
  { name: 'connections', settings: ['WEB_CONCURRENCY', 'ROLES'], run: checkConnections },
  { name: 'backups', run: checkBackups },
  { name: 'clock', run: checkClock },
  { name: 'secret', settings: ['SECRET', 'DATA_DIR'], run: checkSecret },
  installationCheck,
]

async function checkMigrations(pool: Pool): Promise<DoctorFinding[]> {
  const { applied, pending, changed, unknown, unfit, definitions, foreignTable } = await readMigrationState(pool)
  if (foreignTable !== null) {
    const summary = `the database has tables of another program, such as "${foreignTable}"`
    return [problem(summary, 'Create an empty database and set DATABASE_URL to it.')]
  }
  if (applied === null) return [ok('the database is empty; the first start creates its tables')]
  const release = 'Run the release that the database belongs to, or restore a backup.'
  const findings = [
    ...(changed.length > 0 ? [problem(`applied with another content: ${changed.join(', ')}`, release)] : []),
    ...(unfit.length > 0
      ? [problem(`removed by a later release what this one uses: ${unfit.join(', ')}`, release)]
      : []),
    ...(unknown.length > unfit.length
      ? [
          warning(
            `applied by a later release: ${unknown.filter((name) => !unfit.includes(name)).join(', ')}`,
            'This release serves with them. Complete the upgrade of all processes.',
          ),
        ]
      : []),
    ...(pending.length > 0
      ? [warning(`pending: ${pending.join(', ')}`, 'Make a backup, then start the service: it applies them.')]
      : []),
    ...(pending.length === 0 && definitions.length > 0
      ? [warning(`functions and views that differ: ${definitions.join(', ')}`, 'Start the service: it applies them.')]
      : []),
  ]
  return findings.length > 0 ? findings : [ok(`all ${applied} are applied`)]
}

async function checkExtensions(pool: Pool): Promise<DoctorFinding[]> {
  const { rows } = await pool.query<{ name: string; installed: boolean }>(
    'SELECT name, installed_version IS NOT NULL AS installed FROM pg_available_extensions WHERE name = ANY($1)',
    [[...requiredExtensions]],
  )
  const installed = new Set(rows.filter((row) => row.installed).map(({ name }) => name))
  const missing = requiredExtensions.filter((name) => !rows.some((row) => row.name === name))
  if (missing.length > 0) {
    const remedy =
      'Install the package postgresql-contrib on its server, or allow them in the settings of your provider.'
    return [problem(`not available: ${missing.join(', ')}`, remedy)]
  }
  const later = requiredExtensions.filter((name) => !installed.has(name))
  if (later.length === 0) return [ok(requiredExtensions.join(', '))]
  const { rows: rights } = await pool.query<{ may: boolean }>(
    `SELECT has_database_privilege(current_database(), 'CREATE') AS may`,
  )
  const summary = `not installed yet: ${later.join(', ')}`
  if (rights[0]?.may) return [ok(`${summary}; the next start installs them`)]
  return [problem(summary, 'Grant CREATE on the database to the role, or run CREATE EXTENSION for each.')]
}

async function checkPooler(pool: Pool, { databaseDirectUrl }: Config): Promise<DoctorFinding[]> {
  if (!databaseDirectUrl) return [ok('none: the database keeps the state of sessions')]
  if (!(await isUnlimited(pool))) return [ok('limits the time of statements')]
  const remedy = 'Set connect_query of PgBouncer as in the guide "Run in production".'
  return [warning(`${UNLIMITED}: one that hangs occupies a connection of the server`, remedy)]
}

async function checkReadReplica(pool: Pool, config: Config): Promise<DoctorFinding[]> {
  const { databaseReadUrl: url, databaseReadMaxLagSeconds } = config
  if (!url) return [ok('none')]
  const remedy = 'Start the replica, or remove the setting: reads are sent to the database.'
  const outage = await findReplicaOutage(url, pool)
  if (outage) return [warning(outage.message, remedy)]
  const log = createLog('silent', 'json')
  const reads = createMetrics().reads
  const replica = openReplica(url, { pool }, log, reads, { maxLagMs: 1000 * databaseReadMaxLagSeconds })
  try {
    const seconds = roundTo(await replica.readLag(), 1)
    const summary = `DATABASE_READ_URL is ${seconds} s late`
    if (seconds <= databaseReadMaxLagSeconds) return [ok(summary)]
    const late = `${summary}, more than DATABASE_READ_MAX_LAG_SECONDS`
    return [warning(late, 'Find out why it replays slowly: until then reads are sent to the database.')]
  } finally {
    await replica.close()
  }
}

async function checkConnections(pool: Pool, config: Config): Promise<DoctorFinding[]> {
  const { rows } = await pool.query<{ version: string; max: number; used: number }>(
    `SELECT current_setting('server_version') AS version,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS max,
      -- Those of this database are of processes of the service that run already.
      (SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database WHERE datname <> current_database()) AS used`,
  )
  const { version = '', max = 0, used = 0 } = rows[0] ?? {}
  const summary = `PostgreSQL ${version}: ${max - used} of ${max} connections are free for it`
  const needed = countConnections(config)
  if (max - used >= needed) return [ok(summary)]
  return [
    warning(`${summary}; the processes of these settings use up to ${needed}`, 'Raise max_connections of the server.'),
  ]
}

async function checkClock(pool: Pool): Promise<DoctorFinding[]> {
  return [clockFinding(await readClockSkew({ pool, clock: () => new Date() }), "the database's")]
}

/** @param seconds the clock of this host is ahead by */
export function clockFinding(seconds: number, other: string): DoctorFinding {
  const difference = Math.abs(seconds)
  if (difference <= WARNING_SECONDS) return ok(`agrees with ${other} within ${WARNING_SECONDS} s`)
  const summary = `${roundTo(difference, 1)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${other}`
  const remedy = 'Synchronize the clocks of both hosts (NTP).'
  if (difference < MAX_SKEW_SECONDS) return warning(summary, remedy)
  return problem(`${summary}: addresses of files and uploads are refused`, remedy)
}

async function checkSecret(pool: Pool, { secret, dataDir }: Config): Promise<DoctorFinding[]> {
  if ((await readMigrationState(pool)).applied === null) return []
  const stored = await readFingerprint(pool)
  if (stored === null) return [ok('the next start stores its fingerprint in the database')]
  const { fingerprint } = createSigning(secret ?? (await rootSecret(dataDir, { isCreated: false })))
  if (stored === fingerprint) return [ok('is the one that the database was set up with')]
  const summary = `${nameSecretOrigin(secret, dataDir)} is not the secret that the database was set up with`
  return [problem(summary, 'Set the original SECRET: stored secrets and issued addresses depend on it.')]
}

/** Age from which a restore drill is asked for. */
const DRILL_DAYS = 90
const DAY_MS = 86_400_000
const LATE_BACKUP_MS = 1.5 * DAY_MS

async function checkBackups(pool: Pool, { backup }: Config): Promise<DoctorFinding[]> {
  const { applied, pending } = await readMigrationState(pool)
  if (applied === null || pending.length > 0) return []
  const { lastBackupAt, lastDrillAt } = await readBackupTimes(pool)
  return [...describeLastBackup(backup.to, lastBackupAt, new Date()), ...describeLastDrill(lastBackupAt, lastDrillAt)]
}

function describeLastBackup(place: string | undefined, lastBackupAt: Date | null, now: Date): DoctorFinding[] {
  if (place === undefined) {
    const summary = lastBackupAt ? `the last one is of ${lastBackupAt.toISOString()}` : 'none are scheduled'
    return [ok(`${summary}; BACKUP_TO makes one every day`)]
  }
  if (lastBackupAt && now.getTime() - lastBackupAt.getTime() < LATE_BACKUP_MS) {
    return [ok(`the last one is of ${lastBackupAt.toISOString()}`)]
  }
  const summary = lastBackupAt ? `the last one is of ${lastBackupAt.toISOString()}` : 'BACKUP_TO has none yet'
  return [warning(summary, 'Look for "a backup failed" in the log of the workers, or run admin backup.')]
}

function describeLastDrill(lastBackupAt: Date | null, lastDrillAt: Date | null): DoctorFinding[] {
  if (lastBackupAt === null) return []
  if (lastDrillAt && Date.now() - lastDrillAt.getTime() < DRILL_DAYS * DAY_MS) {
    return [ok(`the last restore drill was at ${lastDrillAt.toISOString()}`)]
  }
  const summary = lastDrillAt ? `the last restore drill was at ${lastDrillAt.toISOString()}` : 'no restore drill yet'
  return [warning(summary, 'Restore a backup elsewhere (guide "Back up and upgrade"), then run admin record-drill.')]
}
