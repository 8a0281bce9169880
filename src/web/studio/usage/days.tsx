import { formatNumber, t } from '../../strings.ts'
import { nameOfDay } from './period.ts'

export interface Day {
  day: string
  requests: number
  listens: number
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
              {t('usage.requests')}
            </th>
            <th scope="col" className="figure">
              {t('usage.listens')}
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, requests, listens }) => (
            <tr key={day}>
              <th scope="row">{nameOfDay(day)}</th>
              <td className="figure">{formatNumber(requests)}</td>
              <td className="figure">{formatNumber(listens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)
