import { Prisma } from '../../../platform/db/generated/client/client.ts'

/**
 * SQL of `waiting`, a recursive table expression of the endpoints with pending deliveries. It skips from endpoint to
 * endpoint along the index of pending deliveries, so its cost is independent of their number.
 */
export const waitingEndpoints = Prisma.sql`waiting AS (
  (SELECT endpoint_id FROM webhook_delivery WHERE state = 'pending' ORDER BY endpoint_id LIMIT 1)
  UNION ALL
  SELECT (
    SELECT d.endpoint_id FROM webhook_delivery d WHERE d.state = 'pending' AND d.endpoint_id > w.endpoint_id
    ORDER BY d.endpoint_id LIMIT 1
  ) FROM waiting w WHERE w.endpoint_id IS NOT NULL
)`
