import type { Pool } from 'pg'
import { TOTAL_SLOTS } from '../../../platform/jobs/liveness.ts'
import { WAITING_ENTRIES } from '../../../platform/jobs/tables.ts'
import { IS_UNENDED, USES_PROCESSOR } from '../job-states.ts'

/** Flag of the entries of an organization's jobs in the queue. */
export const slotFlag = (organizationId: string) => `organization:${organizationId}`

/** An organization whose jobs occupy as many slots as they may while another organization waits. */
export interface CrowdingOrganization {
  organizationId: string
  /** IDs of jobs to return to the queue, so that the other one finds a slot: the latest to start first. */
  excessJobs: string[]
}

/**
 * Finds organizations that must not start more jobs now: of all slots of all workers, their jobs occupy all but one, or
 * half of four and more (contract, section 4). Empty while no other organization has a job that is due.
 * @see src/decisions/0056
 */
export async function findCrowding(pool: Pool): Promise<CrowdingOrganization[]> {
  const { rows } = await pool.query<CrowdingOrganization>(FIND)
  return rows
}

const othersThat = (comparison: '<' | '>') => `
  SELECT FROM job JOIN ${WAITING_ENTRIES} entry ON entry.key = job.id::text
  WHERE job.${IS_UNENDED} AND job.${USES_PROCESSOR} AND job.organization_id ${comparison} crowding.organization_id
  LIMIT total`

/** Two ranges of organizations instead of `<>`: the index skips a long line of the organization itself. */
const FIND = `
  WITH bound AS (
    SELECT total, CASE WHEN total >= 4 THEN total / 2 ELSE greatest(total - 1, 1) END AS jobs
    FROM (SELECT ${TOTAL_SLOTS} AS total) slot WHERE total > 0
  ), running AS (
    SELECT id, organization_id, started_at, row_number() OVER (PARTITION BY organization_id ORDER BY started_at, id) AS place
    FROM job WHERE state = 'running' AND retry_at IS NULL AND ${USES_PROCESSOR}
  ), crowding AS (
    SELECT organization_id, total, bound.jobs AS bound, total - (SELECT count(*) FROM running) AS free
    FROM running, bound GROUP BY organization_id, total, bound.jobs HAVING max(place) >= bound.jobs
  )
  SELECT organization_id AS "organizationId", ARRAY(
    SELECT running.id::text FROM running
    WHERE running.organization_id = crowding.organization_id AND place > bound
    ORDER BY place DESC LIMIT greatest(others.jobs - greatest(free, 0), 0)) AS "excessJobs"
  FROM crowding, LATERAL (
    SELECT count(*) AS jobs FROM ((${othersThat('<')}) UNION ALL (${othersThat('>')})) waiting
  ) others
  WHERE others.jobs > 0`
