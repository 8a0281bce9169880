import { language } from '../../strings.ts'
import { useFilters } from '../filters.ts'
import { DAY_SECONDS } from '../time.ts'

const DEFAULT_DAYS = 30
const DAY = /^\d{4}-\d{2}-\d{2}$/

const isDay = (text: string) => DAY.test(text) && !Number.isNaN(Date.parse(text))

/** Days in UTC, as `YYYY-MM-DD`. Both are part of the period. */
export interface Period {
  from: string
  to: string
}

export const today = (): string => new Date().toISOString().slice(0, 10)

export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * DAY_SECONDS * 1000).toISOString().slice(0, 10)

/** The period of the last days. */
export const lastDays = (days: number): Period => ({ from: dayAfter(today(), 1 - days), to: today() })

/** The period in the address of the page. Defaults to the last 30 days. */
export function usePeriod() {
  const filters = useFilters()
  const initial = lastDays(DEFAULT_DAYS)
  const readDay = (name: keyof Period) => (isDay(filters.get(name)) ? filters.get(name) : initial[name])
  return {
    period: { from: readDay('from'), to: readDay('to') },
    setPeriod: (period: Partial<Period>) => {
      for (const [name, day] of Object.entries(period)) if (isDay(day)) filters.set(name, day)
    },
  }
}

/** The period as arguments of the service, whose end is exclusive. */
export const toRange = ({ from, to }: Period) => ({ from, to: dayAfter(to) })

/** First day of the period of as many days that ends before this one. */
export const beginOfPeriodBefore = (period: Period): string => dayAfter(period.from, -listDays(period).length)

/** All days of a period. */
export function listDays({ from, to }: Period): string[] {
  const days = []
  for (let day = from; day <= to; day = dayAfter(day)) days.push(day)
  return days
}

const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
const shortFormat = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** A day in the language of the page. */
export const nameOfDay = (day: string): string => format.format(Date.parse(day))
/** A day without its year. */
export const shortNameOfDay = (day: string): string => shortFormat.format(Date.parse(day))
