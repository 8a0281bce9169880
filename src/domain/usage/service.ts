import type { Context } from '../../platform/context.ts'
import { type Statement, Values } from '../../platform/db/read/statement.ts'
import { invalidInput } from '../../platform/errors.ts'
import { parse } from '../../platform/input.ts'
import { readScope, type Scope } from '../access/viewer.ts'
import { type UsageGroup, usageGroups, usageInput } from './schema.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
const MAX_DAYS = 400
const MAX_ROWS = 10_000

/** What was counted; null for what was not counted by, and for the creator of what belongs to none. */
export interface UsageRow {
  /** YYYY-MM-DD, in UTC. */
  day: string | null
  creatorId: string | null
  collectionId: string | null
  trackId: string | null
  keyId: string | null
  variantId: string | null
  /** Answers of the stream endpoint that led to a file. */
  requests: number
}

const columns: Record<UsageGroup, [name: Exclude<keyof UsageRow, 'requests'>, expression: string]> = {
  day: ['day', `(created_at AT TIME ZONE 'UTC')::date::text`],
  creator: ['creatorId', 'creator_id'],
  collection: ['collectionId', 'collection_id'],
  track: ['trackId', 'track_id'],
  key: ['keyId', 'key_id'],
  variant: ['variantId', 'variant_id'],
}

/**
 * Counts play requests in the ledger itself: exact to the last one that was answered.
 * @param raw from (inclusive; 30 days before the end unless told), to (exclusive; no end unless told), at most 400 days
 *   apart; groupBy: one row for each combination, a single one without
 * @returns rows in the order of day, creator, collection, track, key and variant
 * @throws AppError `invalid_input`, also for more than 10,000 rows
 */
export async function getUsage(ctx: Context, raw: unknown): Promise<UsageRow[]> {
  const scope = readScope(ctx)
  const { from, to, groupBy } = parse(usageInput, raw)
  const end = to ?? ctx.clock()
  const start = from ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS)
  if (to && start >= to) throw invalidInput('to', 'must be after from')
  if (end.getTime() - start.getTime() > MAX_DAYS * DAY_MS) {
    throw invalidInput('from', `must be at most ${MAX_DAYS} days before the end`)
  }
  const groups = usageGroups.filter((group) => groupBy.includes(group))
  const rows = await ctx.reader.query(statement(scope, start, to, groups), ctx.signal)
  if (rows.length > MAX_ROWS) {
    throw invalidInput('groupBy', `makes more than ${MAX_ROWS} rows; narrow from and to, or count by less`)
  }
  return rows.map((row) => {
    const values = Object.values(row)
    const counted = Object.fromEntries(groups.map((group, place) => [columns[group][0], values[place]]))
    return { ...NOT_COUNTED_BY, ...counted, requests: Number(values.at(-1)) }
  })
}

const NOT_COUNTED_BY = {
  ...{ day: null, creatorId: null, collectionId: null },
  ...{ trackId: null, keyId: null, variantId: null },
}

function statement(scope: Scope, from: Date, to: Date | undefined, groups: readonly UsageGroup[]): Statement {
  const values = new Values()
  const conditions = [
    `organization_id = ${values.add(scope.organizationId)}`,
    `created_at >= ${values.add(from)}`,
    ...(to ? [`created_at < ${values.add(to)}`] : []),
    ...(scope.collectionId ? [`collection_id = ${values.add(scope.collectionId)}`] : []),
    ...(scope.creatorId ? [`creator_id = ${values.add(scope.creatorId)}`] : []),
  ]
  const selected = groups.map((group) => columns[group][1])
  const places = groups.map((_, place) => place + 1).join(', ')
  const text = [
    `SELECT ${[...selected, 'count(*) AS requests'].join(', ')} FROM play_event WHERE ${conditions.join(' AND ')}`,
    ...(places ? [`GROUP BY ${places} ORDER BY ${places}`] : []),
    `LIMIT ${MAX_ROWS + 1}`,
  ].join(' ')
  return { text, values: values.list }
}
