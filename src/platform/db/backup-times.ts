import type { Pool } from 'pg'

type Queryable = Pick<Pool, 'query'>

export interface BackupTimes {
  /** Null before the first. */
  lastBackupAt: Date | null
  lastDrillAt: Date | null
}

/** Records that a backup of this time is complete. */
export async function recordBackup(client: Queryable, madeAt: Date): Promise<void> {
  await client.query('UPDATE installation SET last_backup_at = $1', [madeAt])
}

/** Records that an operator has restored a backup as a drill. */
export async function recordDrill(client: Queryable, restoredAt: Date): Promise<void> {
  await client.query('UPDATE installation SET last_drill_at = $1', [restoredAt])
}

/** Reads the times of the last backup that was made by schedule or with `--into`, and of the last drill. */
export async function readBackupTimes(client: Queryable): Promise<BackupTimes> {
  const { rows } = await client.query<BackupTimes>(
    'SELECT last_backup_at AS "lastBackupAt", last_drill_at AS "lastDrillAt" FROM installation',
  )
  return rows[0] ?? { lastBackupAt: null, lastDrillAt: null }
}
