import type { Context } from '../../platform/context.ts'
import type { Statement, Values } from '../../platform/db/query/statement.ts'
import type { Scope } from '../access/viewer.ts'
import { type Counted, type Period, partsOf } from './period.ts'
import type { UsageGroup } from './schema.ts'
import { addedUp, type Source } from './table.ts'

const within = (column: string, periods: readonly Period[], values: Values) =>
  `(${periods
    .map(({ from, to }) => {
      const start = `${column} >= ${values.add(from)}`
      return to ? `${start} AND ${column} < ${values.add(to)}` : start
    })
    .join(' OR ')})`

/**
 * The statement that counts requests and listens of a period: from the sums of whole days and hours, and from the
 * ledger for what has none yet. How far there are sums is asked first; they only ever become more, and hold the same.
 * @throws AppError `invalid_input` where the ledger that it takes is no longer kept
 */
export async function playsStatement(
  ctx: Context,
  scope: Scope,
  period: Period,
  groups: readonly UsageGroup[],
): Promise<Statement> {
  const counted: Counted | null = await ctx.db.playCounted.findFirst()
  const { days, hours, ledger } = partsOf(period, counted)
  const summed = (span: 'day' | 'hour', periods: Period[]): Source => ({
    table: 'play_count',
    time: 'starts_at',
    where: (values) => [`span = '${span}'`, within('starts_at', periods, values)],
    sums: { requests: 'requests', listens: 'listens' },
  })
  const written: Source = {
    table: 'play_event',
    time: 'created_at',
    where: (values) => [within('created_at', ledger, values)],
    sums: { requests: '1', listens: '(exclusion IS NULL)::int' },
  }
  return addedUp(scope, groups, [
    ...(days.length > 0 ? [summed('day', days)] : []),
    ...(hours.length > 0 ? [summed('hour', hours)] : []),
    ...(ledger.length > 0 ? [written] : []),
  ])
}
