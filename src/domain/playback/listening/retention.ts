import type { Context } from '../../../platform/context.ts'
import { invalidInput } from '../../../platform/errors.ts'
import { roundTo } from '../../../platform/number.ts'
import { findTrack } from '../../track/service.ts'
import { requireDays } from '../../usage/period.ts'
import { HUNDREDTHS } from './hundredths.ts'
import type { Retention, RetentionRange } from './record.ts'

/**
 * Counts the listenings of a track by what they have of it.
 * @throws AppError `not_found`; `invalid_input` for a range that is empty or not of whole days
 */
export async function readRetention(ctx: Context, trackId: string, range: RetentionRange): Promise<Retention> {
  const { from, to } = range
  requireDays(range)
  if (from && to && from >= to) throw invalidInput('to', 'must be after from')
  const { durationSeconds } = await findTrack(ctx, trackId, { select: { durationSeconds: true } })
  const text = `WITH day AS MATERIALIZED (
      SELECT listenings, hundredths FROM retention_day
      WHERE track_id = $1 AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
        AND day < ($3::timestamptz AT TIME ZONE 'UTC')::date
    ) SELECT (SELECT coalesce(sum(listenings), 0)::float8 FROM day),
      ARRAY(SELECT sum(count)::float8 FROM day CROSS JOIN unnest(hundredths) WITH ORDINALITY AS part(count, place)
        GROUP BY place ORDER BY place)`
  const values = [trackId, from ?? '-infinity', to ?? 'infinity']
  const [row] = (await ctx.lists.query({ text, values }, ctx.signal)) as [number, number[]][]
  const [listenings, counts] = row ?? [0, []]
  const hundredths = listenings > 0 ? counts : Array<number>(HUNDREDTHS).fill(0)
  const sum = hundredths.reduce((total, count) => total + count, 0)
  const isKnown = listenings > 0 && durationSeconds !== null
  return {
    trackId,
    durationSeconds,
    listenings,
    averageSeconds: isKnown ? roundTo((sum * durationSeconds) / HUNDREDTHS / listenings, 1) : null,
    hundredths,
  }
}
