import { invalidInput } from '../../platform/errors.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 400

/** From (inclusive) to an end that does not belong to it; null where there is none. */
export interface Period {
  from: Date
  to: Date | null
}

/**
 * What a client asked for: the last 30 days unless told.
 * @throws AppError `invalid_input` for a range that is empty or longer than 400 days
 */
export function periodOf({ from, to }: { from?: Date; to?: Date }, now: Date): Period {
  const end = to ?? now
  const start = from ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS)
  if (to && start >= to) throw invalidInput('to', 'must be after from')
  if (end.getTime() - start.getTime() > MAX_DAYS * DAY_MS) {
    throw invalidInput('from', `must be at most ${MAX_DAYS} days before the end`)
  }
  return { from: start, to: to ?? null }
}

/** How far the ledger was added up, and what is left of it. */
export interface Counted {
  countedTo: Date
  ledgerFrom: Date | null
}

/** The parts of a period by where they are read: none of them twice, and together all of it. */
export interface Parts {
  days: Period[]
  hours: Period[]
  ledger: Period[]
}

const floor = (ms: number, unit: number) => Math.floor(ms / unit) * unit
const ceiling = (ms: number, unit: number) => Math.ceil(ms / unit) * unit

/**
 * Reads as much as can be from the largest sums: whole days, whole hours around them, and what is left from the ledger
 * itself. Days and hours are those of UTC.
 * @throws AppError `invalid_input` where a part of an hour is asked for of which only the sum is left
 */
export function partsOf({ from, to }: Period, counted: Counted | null): Parts {
  const [start, end] = [from.getTime(), to ? to.getTime() : Number.POSITIVE_INFINITY]
  const span = (low: number, high: number): Period[] =>
    low < high ? [{ from: new Date(low), to: high === Number.POSITIVE_INFINITY ? null : new Date(high) }] : []
  const hourly = ceiling(start, HOUR_MS)
  const hourlyEnd = Math.min(floor(end, HOUR_MS), counted?.countedTo.getTime() ?? Number.NEGATIVE_INFINITY)
  const isSummed = hourly < hourlyEnd
  const ledger = isSummed ? [...span(start, hourly), ...span(hourlyEnd, end)] : span(start, end)
  const lost = ledger.find((part) => counted?.ledgerFrom && part.from < counted.ledgerFrom)
  if (lost && counted?.ledgerFrom) {
    const rule = `must be a whole hour: of what is older than ${counted.ledgerFrom.toISOString()} only sums are kept`
    throw invalidInput(lost.from === from || lost.from.getTime() === start ? 'from' : 'to', rule)
  }
  if (!isSummed) return { days: [], hours: [], ledger }
  const [daily, dailyEnd] = [ceiling(hourly, DAY_MS), floor(hourlyEnd, DAY_MS)]
  return daily < dailyEnd
    ? { days: span(daily, dailyEnd), hours: [...span(hourly, daily), ...span(dailyEnd, hourlyEnd)], ledger }
    : { days: [], hours: span(hourly, hourlyEnd), ledger }
}
