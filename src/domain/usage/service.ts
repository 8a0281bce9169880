import type { Context } from '../../platform/context.ts'
import { readInChunks } from '../../platform/db/query/chunks.ts'
import type { Statement } from '../../platform/db/query/statement.ts'
import { invalidInput } from '../../platform/errors.ts'
import { parse } from '../../platform/schema/input.ts'
import { readScope } from '../access/viewer.ts'
import { periodOf } from './period.ts'
import { playsStatement } from './plays.ts'
import { processingInput, storageInput, type UsageGroup, usageInput } from './schema.ts'
import { addedUp, groupNames } from './table.ts'

const MAX_ROWS = 10_000

interface Grouped {
  /** YYYY-MM-DD, in UTC. */
  day: string | null
  creatorId: string | null
  collectionId: string | null
  trackId: string | null
  keyId: string | null
  variantId: string | null
}

/** What was counted; null for what was not counted by, and for the creator of what belongs to none. */
export interface UsageRow extends Grouped {
  /** Answers of the stream endpoint that led to a file: what is billed. */
  requests: number
  /** Of them the first of a listener and a file within 24 hours; no bots, probes and fetches ahead. */
  listens: number
}

export interface StorageRow extends Pick<Grouped, 'creatorId' | 'collectionId'> {
  /** Uploaded recordings. */
  sourceBytes: number
  /** Finished files; not what lies beside them, like the sizes of a cover. */
  fileBytes: number
}

export interface ProcessingRow extends Pick<Grouped, 'day' | 'creatorId' | 'collectionId' | 'trackId'> {
  jobs: number
  /** From the start of each job's last attempt to its end. */
  seconds: number
}

/** A table in parts: the names of its columns, and a statement for its rows. */
export interface Table {
  columns: string[]
  statement: Statement
}

const tableOf = (groups: readonly UsageGroup[], sums: string[], statement: Statement): Table => ({
  columns: [...groups.map((group) => groupNames[group]), ...sums],
  statement,
})

/**
 * Requests and listens, exact to the last request that was answered.
 * @param raw from (inclusive; 30 days before the end unless told), to (exclusive; no end unless told), at most 400 days
 *   apart; groupBy: one row for each combination, a single one without
 * @returns a table in the order of day, creator, collection, track, key and variant
 * @throws AppError `invalid_input`
 */
export async function usageTable(ctx: Context, raw: unknown): Promise<Table> {
  const scope = readScope(ctx)
  const { groupBy, ...range } = parse(usageInput, raw)
  const statement = await playsStatement(ctx, scope, periodOf(range, ctx.clock()), groupBy)
  return tableOf(groupBy, ['requests', 'listens'], statement)
}

/**
 * Bytes in storage now, of tracks that are not deleted.
 * @param raw groupBy: creator, collection
 */
export async function storageTable(ctx: Context, raw: unknown): Promise<Table> {
  const scope = readScope(ctx)
  const { groupBy } = parse(storageInput, raw)
  const where = () => ['deleted_at IS NULL']
  const files = `(SELECT t.organization_id, t.collection_id, t.creator_id, t.deleted_at, f.size FROM track t
    JOIN track_file f ON f.track_id = t.id AND f.state = 'done') AS file`
  const statement = addedUp(scope, groupBy, [
    { table: 'track', where, sums: { source_bytes: 'source_bytes', file_bytes: '0' } },
    { table: files, where, sums: { source_bytes: '0', file_bytes: 'size' } },
  ])
  return tableOf(groupBy, ['sourceBytes', 'fileBytes'], statement)
}

/**
 * How long jobs took that made files, by the day on which they ended. Jobs that failed made nothing.
 * @param raw from and to as for requests; groupBy: day, creator, collection, track
 */
export async function processingTable(ctx: Context, raw: unknown): Promise<Table> {
  const scope = readScope(ctx)
  const { groupBy, ...range } = parse(processingInput, raw)
  const { from, to } = periodOf(range, ctx.clock())
  const statement = addedUp(scope, groupBy, [
    {
      table: 'processing_time',
      time: 'finished_at',
      where: (values) => [`finished_at >= ${values.add(from)}`, ...(to ? [`finished_at < ${values.add(to)}`] : [])],
      sums: { jobs: '1', seconds: 'seconds' },
    },
  ])
  return tableOf(groupBy, ['jobs', 'seconds'], statement)
}

const NOT_COUNTED_BY: Grouped = {
  ...{ day: null, creatorId: null, collectionId: null },
  ...{ trackId: null, keyId: null, variantId: null },
}

/**
 * A whole table at once. Columns that were not asked for are null.
 * @throws AppError `invalid_input` for more than 10,000 rows
 */
export async function readTable<R>(ctx: Context, { columns, statement }: Table): Promise<(Grouped & R)[]> {
  const bounded = { ...statement, text: `${statement.text} LIMIT ${MAX_ROWS + 1}` }
  const rows = await ctx.reader.query(bounded, ctx.signal)
  if (rows.length > MAX_ROWS) {
    throw invalidInput('groupBy', `makes more than ${MAX_ROWS} rows; narrow from and to, or count by less`)
  }
  return rows.map((row) => {
    const named = Object.fromEntries(Object.values(row).map((value, place) => [columns[place], value]))
    return { ...NOT_COUNTED_BY, ...named } as Grouped & R
  })
}

export const getUsage = async (ctx: Context, raw: unknown): Promise<UsageRow[]> =>
  readTable<UsageRow>(ctx, await usageTable(ctx, raw))

export const getStorageUsage = async (ctx: Context, raw: unknown): Promise<StorageRow[]> =>
  readTable<StorageRow>(ctx, await storageTable(ctx, raw))

export const getProcessingUsage = async (ctx: Context, raw: unknown): Promise<ProcessingRow[]> =>
  readTable<ProcessingRow>(ctx, await processingTable(ctx, raw))

/** The rows of a table of any length, in parts, as they come from the database. */
export const streamTable = (ctx: Context, { statement }: Table) => readInChunks(ctx.pool, statement)
