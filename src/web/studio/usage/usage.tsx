import { lazy, type ReactNode, Suspense } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { formatBytes, formatClock, formatNumber, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { UsageByDayDocument, type UsageByDayQuery } from '../generated/operations.ts'
import { Answered, Loading } from '../ui/answer.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Audience } from './audience.tsx'
import { Change } from './change.tsx'
import { UsageCsvButton } from './csv-button.tsx'
import { Days, fillDays } from './days.tsx'
import { GroupTable } from './group-table.tsx'
import { groupings } from './grouping.ts'
import { beginOfPeriodBefore, type Period, toRange, usePeriod } from './period.ts'
import { PeriodFields } from './period-fields.tsx'

const Chart = lazy(() => import('./chart.tsx'))

/** Play requests, listens, storage and processing of a period. */
export default function Usage() {
  const { period, setPeriod } = usePeriod()
  return (
    <>
      <PageHeading text={t('studio.usage')} />
      <PeriodFields period={period} onChange={setPeriod} />
      <Answered of={useData(UsageByDayDocument, { ...toRange(period), before: beginOfPeriodBefore(period) })}>
        {(data) => <Overview data={data} period={period} />}
      </Answered>
      <h2>{t('usage.breakdown')}</h2>
      <Tabs>
        <TabList aria-label={t('usage.breakdown')} className="tab-list">
          {groupings.map((grouping) => (
            <Tab key={grouping} id={grouping}>
              {t(`usage.${grouping}`)}
            </Tab>
          ))}
        </TabList>
        {groupings.map((grouping) => (
          <TabPanel key={grouping} id={grouping}>
            <GroupTable key={`${period.from} ${period.to}`} grouping={grouping} period={period} />
          </TabPanel>
        ))}
      </Tabs>
      <Audience key={`${period.from} ${period.to}`} period={period} />
    </>
  )
}

function Overview({ data, period }: { data: UsageByDayQuery; period: Period }) {
  const days = fillDays(data.usage, period)
  const sum = (name: 'requests' | 'listens') => days.reduce((total, row) => total + row[name], 0)
  const [before] = data.usageBefore
  const [processing] = data.processingUsage
  const [storage] = data.storageUsage
  const [sourceBytes, fileBytes] = [storage?.sourceBytes ?? 0, storage?.fileBytes ?? 0]
  const parts = { sources: formatBytes(sourceBytes), files: formatBytes(fileBytes) }
  return (
    <>
      <dl className="figures">
        <Figure name={t('usage.listens')} value={formatNumber(sum('listens'))} hint={t('usage.listensHint')}>
          <Change now={sum('listens')} before={before?.listens ?? 0} days={days.length} />
        </Figure>
        <Figure name={t('usage.requests')} value={formatNumber(sum('requests'))} hint={t('usage.requestsHint')}>
          <Change now={sum('requests')} before={before?.requests ?? 0} days={days.length} />
        </Figure>
        <Figure name={t('usage.processing')} value={formatClock(processing?.seconds ?? 0)}>
          <small>{t('usage.jobs', { count: formatNumber(processing?.jobs ?? 0) })}</small>
        </Figure>
        <Figure name={t('usage.storage')} value={formatBytes(sourceBytes + fileBytes)}>
          <small>{t('usage.storageParts', parts)}</small>
        </Figure>
      </dl>
      <section className="card" aria-label={t('usage.byDay')}>
        <Suspense fallback={<Loading />}>
          <Chart days={days} />
        </Suspense>
        <div className="chart-foot">
          <Days days={days} />
          <UsageCsvButton period={period} group="day" />
        </div>
      </section>
    </>
  )
}

interface FigureProps {
  name: string
  value: string
  /** Counting rule. */
  hint?: string
  children: ReactNode
}

const Figure = ({ name, value, hint, children }: FigureProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <strong>{value}</strong>
      {children}
      {hint && <small>{hint}</small>}
    </dd>
  </div>
)
