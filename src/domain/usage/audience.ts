import type { Pool, PoolClient } from 'pg'
import type { Context } from '../../platform/context.ts'
import { locks } from '../../platform/db/locks.ts'
import { Values } from '../../platform/db/query/statement.ts'
import { DAY_MS } from '../../platform/time.ts'
import { readScope } from '../access/viewer.ts'
import { requireDays, toPeriod } from './period.ts'
import type { AudienceInput, AudienceKind, AudienceRow } from './record.ts'
import { REPEATED_MS, settledTo } from './roll-up.ts'
import { limitedColumns } from './table.ts'
import { inTransaction } from './transaction.ts'

/** Columns of the ledger by the property of the listeners that they have. */
const columns: Record<AudienceKind, string> = {
  app: 'app',
  device: 'device',
  country: 'country',
  site: 'referrer_host',
}

/** An unknown value is the empty text in sums. */
const writeValue = (kind: AudienceKind) => `coalesce(${columns[kind]}, '')`

const startOfDay = (ms: number) => new Date(Math.floor(ms / DAY_MS) * DAY_MS)
const dayText = (time: Date) => time.toISOString().slice(0, 10)

/** The listens of a day by each property. $1: the day. $2 and $3: its start and end. */
const ADD_DAY = `INSERT INTO audience_day (organization_id, kind, day, collection_id, creator_id, value, listens)
  SELECT organization_id, kind::audience_kind, $1::date, collection_id, creator_id, value, count(*)
  FROM play_event CROSS JOIN LATERAL (VALUES ${Object.keys(columns)
    .map((kind) => `('${kind}', ${writeValue(kind as AudienceKind)})`)
    .join(', ')}) AS part (kind, value)
  WHERE created_at >= $2 AND created_at < $3 AND exclusion IS NULL
  GROUP BY organization_id, kind, collection_id, creator_id, value
  ORDER BY organization_id, kind, collection_id, creator_id, value`

/**
 * Sums the listeners of past days, a day in each transaction, once its hours are not summed again. Safe to kill at any point,
 * to repeat and to run concurrently. Plays that are committed three hours after the end of their day are not in these sums.
 */
export async function rollUpAudience(pool: Pool, now: Date, signal?: AbortSignal): Promise<void> {
  const end = startOfDay(settledTo(now).getTime() - REPEATED_MS)
  let isMore = true
  while (isMore) {
    signal?.throwIfAborted()
    isMore = await inTransaction(pool, (client) => addDay(client, end))
  }
}

/** @returns whether there may be another day */
async function addDay(client: PoolClient, end: Date): Promise<boolean> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [locks.usageRollUp])
  const { rows } = await client.query<{ next: Date | null }>(
    `SELECT greatest(audience_to::timestamp AT TIME ZONE 'UTC', ledger_from,
       CASE WHEN audience_to IS NULL THEN (SELECT min(created_at) FROM play_event) END) AS next FROM play_counted`,
  )
  const next = rows[0]?.next
  if (!next || next >= end) return false
  const day = startOfDay(next.getTime())
  const after = new Date(day.getTime() + DAY_MS)
  await client.query(ADD_DAY, [dayText(day), day, after])
  await client.query('UPDATE play_counted SET audience_to = $1', [dayText(after)])
  return after < end
}

/**
 * Counts listens by one property of the listeners, the most first. Days that have sums are read from them, later ones from
 * the ledger; the statement reads the end of the sums itself, so that all its parts are of one snapshot.
 * @param input `from` and `to` are the start of a day in UTC
 * @throws AppError `invalid_input` for an invalid period
 */
export async function readAudience(
  ctx: Context,
  { by, creatorId, collectionId, top, ...range }: AudienceInput,
): Promise<AudienceRow[]> {
  const scope = { ...readScope(ctx), limits: { creatorId, collectionId } }
  requireDays(range)
  const period = toPeriod(range, ctx.clock())
  const [from, to] = [startOfDay(period.from.getTime()), period.to]
  const values = new Values()
  const conditions = [
    `organization_id = ${values.add(scope.organizationId)}`,
    ...limitedColumns(scope).map(([column, id]) => `${column} = ${values.add(id)}`),
  ].join(' AND ')
  const kind = values.add(by)
  const start = values.add(from)
  const inDays = [`day >= (${start}::timestamptz AT TIME ZONE 'UTC')::date`]
  const inLedger = [
    `created_at >= ${start}`,
    `created_at >= coalesce((SELECT audience_to::timestamp AT TIME ZONE 'UTC' FROM play_counted), '-infinity')`,
  ]
  if (to) {
    const end = values.add(to)
    inDays.push(`day < (${end}::timestamptz AT TIME ZONE 'UTC')::date`)
    inLedger.push(`created_at < ${end}`)
  }
  const text = `SELECT nullif(value, '') AS value, sum(listens)::float8 AS listens FROM (
      SELECT value, listens FROM audience_day
      WHERE ${conditions} AND kind = ${kind}::audience_kind AND ${inDays.join(' AND ')}
      UNION ALL
      SELECT ${writeValue(by)}, 1 FROM play_event
      WHERE ${conditions} AND exclusion IS NULL AND ${inLedger.join(' AND ')}
    ) AS part GROUP BY part.value ORDER BY listens DESC, part.value LIMIT ${values.add(top)}`
  const rows = await ctx.lists.query({ text, values: values.list }, ctx.signal)
  return rows.map(([value, listens]) => ({ value, listens }) as AudienceRow)
}
