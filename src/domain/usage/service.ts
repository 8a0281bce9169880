import type { Context } from '../../platform/context.ts'
import { readInChunks } from '../../platform/db/query/chunks.ts'
import type { Statement } from '../../platform/db/query/statement.ts'
import { invalidInput } from '../../platform/errors.ts'
import { readScope } from '../access/viewer.ts'
import { toPeriod } from './period.ts'
import { playsStatement } from './plays.ts'
import type { ProcessingInput, StorageInput, UsageGroup, UsageInput } from './record.ts'
import { groupNames, sumStatement, writeDay } from './table.ts'

const MAX_ROWS = 10_000

/** A table that is not read yet: the names of its columns, and the statement for its rows. */
export interface UsageTable {
  columns: string[]
  statement: Statement
}

const toUsageTable = (groups: readonly UsageGroup[], sums: string[], statement: Statement): UsageTable => ({
  columns: [...groups.map((group) => groupNames[group]), ...sums],
  statement,
})

/**
 * Play requests and listens, including the latest answered request.
 * @param isStreamed whether the first rows should not wait for all others
 * @returns rows in the order of day, creator, collection, track, key and variant, or the `top` ones
 * @throws AppError `invalid_input` for an invalid period
 */
export async function usageTable(
  ctx: Context,
  { groupBy, creatorId, collectionId, trackId, top, ...range }: UsageInput,
  isStreamed = false,
): Promise<UsageTable> {
  const scope = { ...readScope(ctx), limits: { creatorId, collectionId, trackId } }
  const statement = await playsStatement(ctx, scope, toPeriod(range, ctx.clock()), groupBy, isStreamed)
  return toUsageTable(
    groupBy,
    ['requests', 'listens'],
    top === undefined ? statement : topStatement(statement, groupBy.length, top),
  )
}

/** The rows with the most listens. Rows of equal figures stay in the order of their groups, the first columns. */
function topStatement({ text, values }: Statement, groupCount: number, top: number): Statement {
  const groups = Array.from({ length: groupCount }, (_, place) => place + 1)
  const order = `ORDER BY ${['listens DESC', 'requests DESC', ...groups].join(', ')}`
  // The limit is in a subquery, because readers of tables add their own.
  const rows = `SELECT * FROM (${text}) AS usage ${order} LIMIT $${values.length + 1}`
  return { text: `SELECT * FROM (${rows}) AS top_rows ${order}`, values: [...values, top] }
}

const OF_UNDELETED_COLLECTION =
  'EXISTS (SELECT FROM collection WHERE collection.id = track_sum.collection_id AND collection.deleted_at IS NULL)'

/** Bytes in storage now, of undeleted tracks. */
export function storageTable(ctx: Context, { groupBy }: StorageInput): UsageTable {
  // Leaves out groups whose last track was deleted. The sums of these are 0.
  const groups = `(SELECT organization_id, collection_id, creator_id, sum(source_bytes) AS source_bytes,
    sum(file_bytes) AS file_bytes FROM track_sum GROUP BY 1, 2, 3 HAVING sum(tracks) > 0) AS track_sum`
  const statement = sumStatement(readScope(ctx), groupBy, [
    {
      table: groupBy.length === 0 ? 'track_sum' : groups,
      where: () => [OF_UNDELETED_COLLECTION],
      sums: { source_bytes: 'source_bytes', file_bytes: 'file_bytes' },
    },
  ])
  return toUsageTable(groupBy, ['sourceBytes', 'fileBytes'], statement)
}

/**
 * Processing time of succeeded jobs and transcribed sound, by the day on which the jobs ended.
 * @throws AppError `invalid_input` for an invalid period
 */
export function processingTable(ctx: Context, { groupBy, ...range }: ProcessingInput): UsageTable {
  const scope = readScope(ctx)
  const { from, to } = toPeriod(range, ctx.clock())
  const statement = sumStatement(scope, groupBy, [
    {
      table: 'processing_time',
      day: writeDay('finished_at'),
      where: (values) => [`finished_at >= ${values.add(from)}`, ...(to ? [`finished_at < ${values.add(to)}`] : [])],
      // Sums of binary fractions have more digits than their summands.
      sums: { jobs: 'jobs', seconds: 'seconds::numeric', transcribed_seconds: 'transcribed_seconds::numeric' },
    },
  ])
  return toUsageTable(groupBy, ['jobs', 'seconds', 'transcribedSeconds'], statement)
}

const notGrouped = Object.fromEntries(Object.values(groupNames).map((name) => [name, null]))

/**
 * Reads a whole table. Groups that the client did not ask for are null.
 * @throws AppError `invalid_input` for more than 10,000 rows
 */
export async function readTable<R>(ctx: Context, { columns, statement }: UsageTable): Promise<R[]> {
  const bounded = { ...statement, text: `${statement.text} LIMIT ${MAX_ROWS + 1}` }
  const rows = await ctx.lists.query(bounded, ctx.signal)
  if (rows.length > MAX_ROWS) {
    throw invalidInput('groupBy', `yields more than ${MAX_ROWS} rows; narrow from and to, or group by less`)
  }
  return rows.map((row) => {
    const named = Object.fromEntries(Object.values(row).map((value, place) => [columns[place], value]))
    return { ...notGrouped, ...named } as R
  })
}

/** Reads a table of any length in chunks of rows. */
export async function* streamTable(ctx: Context, { statement }: UsageTable) {
  const { replica, pool } = ctx
  yield* readInChunks(replica ? await replica.currentPool() : pool, statement, readScope(ctx).organizationId)
}
