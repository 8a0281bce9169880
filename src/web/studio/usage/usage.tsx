import { lazy, Suspense } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { formatBytes, formatClock, formatNumber, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { UsageByDayDocument, type UsageByDayQuery } from '../generated/operations.ts'
import { Answered, Loading } from '../ui/answer.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { CsvButton } from './csv-button.tsx'
import { Days, fillDays } from './days.tsx'
import { GroupTable } from './group-table.tsx'
import { groupings } from './grouping.ts'
import { type Period, toRange, usePeriod } from './period.ts'
import { PeriodFields } from './period-fields.tsx'

const Chart = lazy(() => import('./chart.tsx'))

/** Play requests, listens, storage and processing of a period. */
export default function Usage() {
  const { period, setPeriod } = usePeriod()
  return (
    <>
      <PageHeading text={t('studio.usage')} />
      <PeriodFields period={period} onChange={setPeriod} />
      <Answered of={useData(UsageByDayDocument, toRange(period))}>
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
    </>
  )
}

function Overview({ data, period }: { data: UsageByDayQuery; period: Period }) {
  const days = fillDays(data.usage, period)
  const sum = (name: 'requests' | 'listens') => days.reduce((total, row) => total + row[name], 0)
  const [processing] = data.processingUsage
  const [storage] = data.storageUsage
  const [sourceBytes, fileBytes] = [storage?.sourceBytes ?? 0, storage?.fileBytes ?? 0]
  const parts = { sources: formatBytes(sourceBytes), files: formatBytes(fileBytes) }
  return (
    <>
      <dl className="figures">
        <Figure name={t('usage.requests')} value={formatNumber(sum('requests'))} hint={t('usage.requestsHint')} />
        <Figure name={t('usage.listens')} value={formatNumber(sum('listens'))} hint={t('usage.listensHint')} />
        <Figure
          name={t('usage.processing')}
          value={formatClock(processing?.seconds ?? 0)}
          hint={t('usage.jobs', { count: formatNumber(processing?.jobs ?? 0) })}
        />
        <Figure
          name={t('usage.storage')}
          value={formatBytes(sourceBytes + fileBytes)}
          hint={t('usage.storageParts', parts)}
        />
      </dl>
      <section className="card" aria-label={t('usage.byDay')}>
        <Suspense fallback={<Loading />}>
          <Chart days={days} />
        </Suspense>
        <Days days={days} />
        <CsvButton period={period} groups={['day']} />
      </section>
    </>
  )
}

function Figure({ name, value, hint }: { name: string; value: string; hint: string }) {
  return (
    <div className="card">
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <span>{hint}</span>
      </dd>
    </div>
  )
}
