import type { Pool, QueryConfig } from 'pg'
import { waitingEndpoints } from './waiting.ts'

/** Pending deliveries that are counted. There may be millions to an endpoint that has failed for days. */
const MAX_COUNTED = 100_000

/** Pending webhook deliveries to endpoints in one state. */
export interface Backlog {
  /** `failing`: the last attempt failed, so the pauses between attempts grow. */
  endpoints: 'ok' | 'failing'
  /** At most 100,000. */
  deliveries: number
  /** Seconds since the oldest attempt was due. 0 if none is due. */
  seconds: number
}

/** Reads the pending deliveries, those to failing endpoints apart: their age is the fault of the receivers. */
export async function readBacklog(pool: Pool, now: Date, timeoutMs: number): Promise<Backlog[]> {
  const text = `
    WITH RECURSIVE ${waitingEndpoints.sql}, line AS (
      SELECT e.failing_since IS NOT NULL AS is_failing, (
        SELECT d.next_attempt_at FROM webhook_delivery d WHERE d.endpoint_id = e.id AND d.state = 'pending'
        ORDER BY d.next_attempt_at LIMIT 1
      ) AS due, (
        SELECT count(*) FROM (
          SELECT FROM webhook_delivery d WHERE d.endpoint_id = e.id AND d.state = 'pending' LIMIT ${MAX_COUNTED}
        ) counted
      ) AS deliveries
      FROM webhook_endpoint e
      WHERE e.id IN (SELECT endpoint_id FROM waiting) AND e.deleted_at IS NULL AND e.give_up_before IS NULL
    )
    SELECT kind.endpoints, least(coalesce(sum(deliveries), 0), ${MAX_COUNTED})::int AS deliveries,
      greatest(coalesce(extract(epoch FROM $1::timestamptz - min(due)), 0), 0)::float AS seconds
    FROM (VALUES ('ok', false), ('failing', true)) kind (endpoints, is_failing)
    LEFT JOIN line ON line.is_failing = kind.is_failing
    GROUP BY kind.endpoints`
  const { rows } = await pool.query<Backlog>({ text, values: [now], query_timeout: timeoutMs } as QueryConfig)
  return rows
}
