import type { Context } from '../../platform/context.ts'
import type { Statement, Values } from '../../platform/db/query/statement.ts'
import type { Scope } from '../access/viewer.ts'
import { type Period, partsOf } from './period.ts'
import type { UsageGroup } from './record.ts'
import { type Summand, sumStatement } from './table.ts'

const within = (column: string, periods: readonly Period[], values: Values) =>
  `(${periods
    .map(({ from, to }) => {
      const start = `${column} >= ${values.add(from)}`
      return to ? `${start} AND ${column} < ${values.add(to)}` : start
    })
    .join(' OR ')})`

/**
 * The statement that counts requests and listens of a period. Whole days and hours are read from their sums, the rest
 * from the ledger. The end of the sums is read first: sums are only added, and have the same content as the ledger.
 * @throws AppError `invalid_input` when it needs a part of the ledger that was dropped
 */
export async function playsStatement(
  ctx: Context,
  scope: Scope,
  period: Period,
  groups: readonly UsageGroup[],
): Promise<Statement> {
  const { days, hours, ledger } = partsOf(period, await ctx.db.playCounted.findFirst())
  const sums = (span: 'day' | 'hour', periods: Period[]): Summand => ({
    table: 'play_count',
    time: 'starts_at',
    where: (values) => [`span = '${span}'`, within('starts_at', periods, values)],
    sums: { requests: 'requests', listens: 'listens' },
  })
  const plays: Summand = {
    table: 'play_event',
    time: 'created_at',
    where: (values) => [within('created_at', ledger, values)],
    sums: { requests: '1', listens: '(exclusion IS NULL)::int' },
  }
  return sumStatement(scope, groups, [
    ...(days.length > 0 ? [sums('day', days)] : []),
    ...(hours.length > 0 ? [sums('hour', hours)] : []),
    ...(ledger.length > 0 ? [plays] : []),
  ])
}
