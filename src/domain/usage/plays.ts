import type { Context } from '../../platform/context.ts'
import type { Statement, Values } from '../../platform/db/query/statement.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { Scope } from '../access/viewer.ts'
import { type Grain, grainOf } from './grains.ts'
import { type Period, partsOf } from './period.ts'
import type { UsageGroup } from './record.ts'
import { columns, dayOf, type Summand, sumStatement } from './table.ts'

const dayText = (time: Date) => time.toISOString().slice(0, 10)

/** A single day is one value, so that rows can be read in the order of the index. */
function onDays({ from, to }: Period, values: Values): string[] {
  if (to && to.getTime() - from.getTime() === DAY_MS) return [`day = ${values.add(dayText(from))}`]
  return [`day >= ${values.add(dayText(from))}`, ...(to ? [`day < ${values.add(dayText(to))}`] : [])]
}

/** Sums of whole days. */
const days = (grain: Grain, period: Period): Summand => ({
  table: grain.table,
  day: 'day',
  where: (values) => onDays(period, values),
  sums: { requests: 'requests', listens: 'listens' },
})

/** Sums of days by hour, key and variant. */
const parts = (grain: Grain, where: Summand['where']): Summand => ({
  table: `${grain.table} CROSS JOIN unnest(parts) AS part (hour, key_id, variant_id, part_requests, part_listens)`,
  day: 'day',
  where,
  sums: { requests: 'part_requests', listens: 'part_listens' },
})

/** @param period within one day */
const onHours =
  ({ from, to }: Period) =>
  (values: Values): string[] => [
    `day = ${values.add(dayText(from))}`,
    `hour >= ${values.add(from.getUTCHours())}`,
    ...(to && dayText(to) === dayText(from) ? [`hour < ${values.add(to.getUTCHours())}`] : []),
  ]

/** Plays of the ledger. */
const plays = ({ from, to }: Period, further: string[] = []): Summand => ({
  table: 'play_event',
  day: dayOf('created_at'),
  where: (values) => [
    `created_at >= ${values.add(from)}`,
    ...(to ? [`created_at < ${values.add(to)}`] : []),
    ...further,
  ],
  sums: { requests: '1', listens: '(exclusion IS NULL)::int' },
})

/** Follows the planner's estimate for the beginning of the period. */
const unsummed = `created_at >= coalesce((SELECT summed_to FROM play_counted), '-infinity')`

/**
 * The statement that counts requests and listens of a period. Whole days and hours are read from the sums of the coarsest
 * grain, the rest from the ledger. It reads the end of the sums itself, so that all its parts are of one snapshot: a row
 * is in the sums or after their end.
 * @throws AppError `invalid_input` when it needs a part of the ledger that was dropped
 */
export async function playsStatement(
  ctx: Context,
  scope: Scope,
  period: Period,
  groups: readonly UsageGroup[],
): Promise<Statement> {
  const split = partsOf(period, await ctx.db.playCounted.findFirst())
  const isByLink = groups.includes('key') || groups.includes('variant')
  const grain = grainOf([
    ...groups.flatMap((group) => (group === 'day' || group === 'key' || group === 'variant' ? [] : columns[group])),
    ...(scope.collectionId ? [columns.collection] : []),
    ...(scope.creatorId ? [columns.creator] : []),
  ])
  return sumStatement(scope, groups, [
    ...split.days.map((part) => (isByLink ? parts(grain, (values) => onDays(part, values)) : days(grain, part))),
    ...split.hours.map((part) => parts(grain, onHours(part))),
    ...split.unsummed.map((part) => plays(part, [unsummed])),
    ...split.ledger.map((part) => plays(part)),
  ])
}
