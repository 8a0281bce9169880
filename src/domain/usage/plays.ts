import type { Context } from '../../platform/context.ts'
import type { Statement, Values } from '../../platform/db/query/statement.ts'
import { DAY_MS } from '../../platform/time.ts'
import { chooseGrain, type Grain } from './grains.ts'
import { type Period, splitPeriod } from './period.ts'
import type { UsageGroup } from './record.ts'
import { limitedColumns, type Summand, sumStatement, type UsageScope, usageColumns, writeDay } from './table.ts'

/** PostgreSQL does not read `+010000-01-01`. */
const dayText = (time: Date) => (time.getUTCFullYear() > 9999 ? 'infinity' : time.toISOString().slice(0, 10))

/** A single day is one value, so that rows can be read in the order of the index. */
function onDays({ from, to }: Period, values: Values): string[] {
  if (to && to.getTime() - from.getTime() === DAY_MS) return [`day = ${values.add(dayText(from))}`]
  return [`day >= ${values.add(dayText(from))}`, ...(to ? [`day < ${values.add(dayText(to))}`] : [])]
}

/** Maximum number of days that are read one by one, so that a statement is planned in milliseconds. */
const MAX_DAYS_APART = 31

/** Splits whole days into single ones as far as they have sums. Periods with more days are returned as they are. */
function eachDay(period: Period, summedTo: Date): Period[] {
  const { from, to } = period
  const summed = Math.ceil(summedTo.getTime() / DAY_MS) * DAY_MS
  const end = new Date(to ? Math.min(to.getTime(), summed) : summed)
  const count = (end.getTime() - from.getTime()) / DAY_MS
  if (count < 1 || count > MAX_DAYS_APART) return [period]
  const toDayStart = (place: number) => new Date(from.getTime() + place * DAY_MS)
  const days = Array.from({ length: count }, (_, place) => ({ from: toDayStart(place), to: toDayStart(place + 1) }))
  return end.getTime() === to?.getTime() ? days : [...days, { from: end, to }]
}

/** Sums of whole days. */
const days = (grain: Grain, period: Period): Summand => ({
  table: grain.table,
  day: 'day',
  where: (values) => onDays(period, values),
  sums: { requests: 'requests', listens: 'listens' },
})

/** Sums of days by hour, key and variant. All sums have one type: rows of several types cannot be merged in order. */
const parts = (grain: Grain, where: Summand['where']): Summand => ({
  table: `${grain.table} CROSS JOIN unnest(parts) AS part (hour, key_id, variant_id, part_requests, part_listens)`,
  day: 'day',
  where,
  sums: { requests: 'part_requests::bigint', listens: 'part_listens::bigint' },
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
  day: writeDay('created_at'),
  where: (values) => [
    `created_at >= ${values.add(from)}`,
    ...(to ? [`created_at < ${values.add(to)}`] : []),
    ...further,
  ],
  sums: { requests: '1::bigint', listens: '(exclusion IS NULL)::int::bigint' },
})

const UNSUMMED = `created_at >= coalesce((SELECT summed_to FROM play_counted), '-infinity')`

/**
 * The statement that counts requests and listens of a period. Whole days and hours are read from the sums of the coarsest
 * grain, the rest from the ledger. The statement reads the end of the sums itself, so that all its parts are of one
 * snapshot: a play is in the sums, or after their end.
 * @param isStreamed whether the first rows should not wait for all others
 * @throws AppError `invalid_input` when it needs a part of the ledger that was dropped
 */
export async function playsStatement(
  { db }: Pick<Context, 'db'>,
  scope: UsageScope,
  period: Period,
  groups: readonly UsageGroup[],
  isStreamed: boolean,
): Promise<Statement> {
  const state = await db.playCounted.findFirst()
  const split = splitPeriod(period, state)
  const grain = chooseGrain([
    ...groups.map((group) => (group === 'day' ? group : usageColumns[group])),
    ...limitedColumns(scope).map(([column]) => column),
  ])
  // Within a day, the unique index has the order of the tracks.
  const isInOrder = isStreamed && groups.find((group) => group !== 'day') === 'track'
  const isByTrack = (isInOrder && groups[0] === 'track') || scope.limits?.trackId !== undefined
  const summedTo = isByTrack ? state?.summedTo : null
  const wholeDays = summedTo ? split.days.flatMap((part) => eachDay(part, summedTo)) : split.days
  const needsParts = groups.includes('key') || groups.includes('variant')
  const summands = [
    ...wholeDays.map((part) => (needsParts ? parts(grain, (values) => onDays(part, values)) : days(grain, part))),
    ...split.hours.map((part) => parts(grain, onHours(part))),
    ...split.unsummed.map((part) => plays(part, [UNSUMMED])),
    ...split.ledger.map((part) => plays(part)),
  ]
  return sumStatement(scope, groups, summands, isInOrder)
}
