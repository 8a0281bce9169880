import type { Pool } from 'pg'
import { WAITING_ENTRIES } from '../../../platform/jobs/tables.ts'
import { IS_UNENDED } from '../job-states.ts'

/** Returns whether a transcription of another organization could start now. */
export async function hasOthersWaiting(pool: Pool, organizationId: string): Promise<boolean> {
  const { rows } = await pool.query(WAITING, [organizationId])
  return rows.length > 0
}

const WAITING = `
  SELECT FROM ${WAITING_ENTRIES} entry JOIN job ON job.id::text = entry.key
  WHERE job.${IS_UNENDED} AND job.kind = 'transcribe_track' AND job.organization_id <> $1 LIMIT 1`
