import { type CSSProperties, useState } from 'react'
import { formatNumber, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { UsageByGroupDocument, type UsageByGroupQuery, type UsageGroup } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { UsageCsvButton } from './csv-button.tsx'
import type { Grouping } from './grouping.ts'
import { Name } from './name.tsx'
import { type Period, toRange } from './period.ts'

type Row = UsageByGroupQuery['usage'][number]

/** Rows of the first page, and of each further one. Each row reads the name of its record. */
const PAGE = 20

/** The records that were played most. */
export function GroupTable({ grouping, period }: { grouping: Grouping; period: Period }) {
  const groupBy = [grouping.toUpperCase() as UsageGroup]
  const answer = useData(UsageByGroupDocument, { ...toRange(period), groupBy })
  return (
    <>
      <Answered of={answer}>
        {({ usage }) => (usage.length > 0 ? <Rows grouping={grouping} usage={usage} /> : <p>{t('usage.nothing')}</p>)}
      </Answered>
      {answer.error && <p>{t('usage.tooMany')}</p>}
      <div className="actions">
        <UsageCsvButton period={period} group={grouping} />
      </div>
    </>
  )
}

/** Length of the bar behind a name. @param share 0 to 1 */
export const setShare = (share: number) => ({ '--share': `${Math.round(share * 1000) / 10}%` }) as CSSProperties

function Rows({ grouping, usage }: { grouping: Grouping; usage: readonly Row[] }) {
  const [rowLimit, setRowLimit] = useState(PAGE)
  const most = Math.max(1, ...usage.map(({ listens }) => listens))
  const sorted = usage.toSorted((one, other) => other.listens - one.listens || other.requests - one.requests)
  return (
    <>
      <div className="table">
        <table>
          <thead>
            <tr>
              <th scope="col">{t(`usage.${grouping}`)}</th>
              <th scope="col" className="figure">
                {t('usage.listens')}
              </th>
              <th scope="col" className="figure">
                {t('usage.requests')}
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, rowLimit).map((row) => {
              const id = row[`${grouping}Id`] ?? null
              return (
                <tr key={id}>
                  <th scope="row" className="bar" style={setShare(row.listens / most)}>
                    {id === null ? t('usage.none') : <Name grouping={grouping} id={id} />}
                  </th>
                  <td className="figure">{formatNumber(row.listens)}</td>
                  <td className="figure">{formatNumber(row.requests)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {rowLimit < usage.length && (
        <Button onPress={() => setRowLimit(rowLimit + PAGE)}>
          {t('usage.more', { shown: formatNumber(rowLimit), all: formatNumber(usage.length) })}
        </Button>
      )}
    </>
  )
}
