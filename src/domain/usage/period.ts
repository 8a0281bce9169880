import { invalidInput } from '../../platform/errors.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'

const DEFAULT_DAYS = 30
export const MAX_DAYS = 400

/** From an inclusive start to an exclusive end. `to` is null for a period without an end. */
export interface Period {
  from: Date
  to: Date | null
}

/**
 * The period of a range. Defaults to the last 30 days.
 * @throws AppError `invalid_input` for a range that is empty or longer than 400 days
 */
export function toPeriod({ from, to }: { from?: Date; to?: Date }, now: Date): Period {
  const end = to ?? now
  const start = from ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS)
  if (to && start >= to) throw invalidInput('to', 'must be after from')
  if (end.getTime() - start.getTime() > MAX_DAYS * DAY_MS) {
    throw invalidInput('from', `must be at most ${MAX_DAYS} days before the end`)
  }
  return { from: start, to: to ?? null }
}

/** @throws AppError `invalid_input` for a time that is not the start of a day in UTC */
export function requireDays(range: { from?: Date; to?: Date }): void {
  for (const [name, time] of Object.entries(range)) {
    if (time && time.getTime() % DAY_MS !== 0) throw invalidInput(name, 'must be a day, such as 2026-05-01')
  }
}

/** State of the ledger. */
export interface LedgerState {
  /** Exclusive end of the hours that have sums. Null: none have. */
  summedTo: Date | null
  /** Rows before this time were dropped. Null before the first drop. */
  ledgerFrom: Date | null
}

/** A period, split by the source that each part is read from. */
export interface Parts {
  /** Whole days, read from sums as far as they have sums. */
  days: Period[]
  /** Whole hours of the first and of the last day, read from sums as far as they have sums. */
  hours: Period[]
  /** Whole hours that may have no sums: those without are read from the ledger. */
  unsummed: Period[]
  /** Parts of hours, always read from the ledger. */
  ledger: Period[]
}

const floor = (ms: number, unit: number) => Math.floor(ms / unit) * unit
const ceiling = (ms: number, unit: number) => Math.ceil(ms / unit) * unit
const span = (low: number, high: number): Period[] =>
  low < high ? [{ from: new Date(low), to: high === Number.POSITIVE_INFINITY ? null : new Date(high) }] : []

/**
 * Splits a period: whole days, whole hours around them, and the rest, which is read from the ledger. Days and hours are
 * in UTC.
 * @throws AppError `invalid_input` for a part of an hour whose ledger rows were dropped
 */
export function splitPeriod({ from, to }: Period, state: LedgerState | null): Parts {
  const [start, end] = [from.getTime(), to ? to.getTime() : Number.POSITIVE_INFINITY]
  const [hourly, hourlyEnd] = [ceiling(start, HOUR_MS), floor(end, HOUR_MS)]
  const [daily, dailyEnd] = [ceiling(hourly, DAY_MS), floor(hourlyEnd, DAY_MS)]
  const ledger = [...span(start, Math.min(hourly, end)), ...span(Math.max(hourly, hourlyEnd), end)]
  const lost = ledger.find((part) => state?.ledgerFrom && part.from < state.ledgerFrom)
  if (lost && state?.ledgerFrom) {
    const rule = `must be a full hour: before ${state.ledgerFrom.toISOString()} only hourly sums are kept`
    throw invalidInput(lost.from.getTime() === start ? 'from' : 'to', rule)
  }
  return {
    days: span(daily, dailyEnd),
    hours: daily > dailyEnd ? span(hourly, hourlyEnd) : [...span(hourly, daily), ...span(dailyEnd, hourlyEnd)],
    unsummed: span(Math.max(hourly, state?.summedTo?.getTime() ?? hourly), hourlyEnd),
    ledger,
  }
}
