import { formatNumber, t } from '../../strings.ts'
import { listDays, nameOfDay, type Period } from './period.ts'

export interface Day {
  day: string
  requests: number
  listens: number
}

interface DayRow extends Omit<Day, 'day'> {
  day: string | null
}

/** Returns all days of a period. Those without a row have no plays. */
export function fillDays(rows: readonly DayRow[], period: Period): Day[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return listDays(period).map((day) => {
    const { requests = 0, listens = 0 } = byDay.get(day) ?? {}
    return { day, requests, listens }
  })
}

/** The figures of the chart as a table, for everyone who does not see it. */
export const Days = ({ days }: { days: readonly Day[] }) => (
  <details className="days">
    <summary>{t('usage.asTable')}</summary>
    <div className="table">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('usage.day')}</th>
            <th scope="col" className="figure">
              {t('usage.listens')}
            </th>
            <th scope="col" className="figure">
              {t('usage.requests')}
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, requests, listens }) => (
            <tr key={day}>
              <th scope="row">{nameOfDay(day)}</th>
              <td className="figure">{formatNumber(listens)}</td>
              <td className="figure">{formatNumber(requests)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)
