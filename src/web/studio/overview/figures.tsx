import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatBytes, formatNumber, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { OverviewPlaysDocument, type OverviewPlaysQuery } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { Change } from '../usage/change.tsx'
import { type Day, fillDays } from '../usage/days.tsx'
import { beginOfPeriodBefore, dayAfter, type Period, shortNameOfDay, toRange } from '../usage/period.ts'
import { Sparkline } from '../usage/sparkline.tsx'

/** Listens, play requests and storage, compared with as many days before. */
export function Figures({ period }: { period: Period }) {
  const before = { from: beginOfPeriodBefore(period), to: dayAfter(period.from, -1) }
  const range = toRange({ from: before.from, to: period.to })
  return (
    <Answered of={useData(OverviewPlaysDocument, range)}>
      {(data) => <Content data={data} period={period} before={before} />}
    </Answered>
  )
}

interface ContentProps {
  data: OverviewPlaysQuery
  period: Period
  before: Period
}

const sum = (days: readonly Day[], name: 'listens' | 'requests') => days.reduce((total, day) => total + day[name], 0)

function Content({ data, period, before }: ContentProps) {
  const [storage] = data.storageUsage
  const [sourceBytes, fileBytes] = [storage?.sourceBytes ?? 0, storage?.fileBytes ?? 0]
  const parts = { sources: formatBytes(sourceBytes), files: formatBytes(fileBytes) }
  return (
    <PlayFigures days={fillDays(data.usage, period)} daysBefore={fillDays(data.usage, before)}>
      <Figure name={t('usage.storage')} value={formatBytes(sourceBytes + fileBytes)}>
        <small>{t('usage.storageParts', parts)}</small>
      </Figure>
    </PlayFigures>
  )
}

interface PlayFiguresProps {
  days: readonly Day[]
  /** As many days before. */
  daysBefore: readonly Day[]
  /** Further figures. */
  children?: ReactNode
}

/** Listens and play requests of a period, compared with as many days before. */
export function PlayFigures({ days, daysBefore, children }: PlayFiguresProps) {
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  return (
    <section className="overview-figures" aria-label={t('studio.usage')}>
      <Figure name={t('overview.listens')} value={formatNumber(sum(days, 'listens'))}>
        <Change now={sum(days, 'listens')} before={sum(daysBefore, 'listens')} days={days.length} />
      </Figure>
      <figure className="overview-chart">
        <Link href="/usage" aria-label={t('overview.byDay')}>
          <Sparkline values={days.map(({ listens }) => listens)} />
        </Link>
        <figcaption>
          <span>{shortNameOfDay(first)}</span>
          <span>{shortNameOfDay(last)}</span>
        </figcaption>
      </figure>
      <Figure name={t('usage.requests')} value={formatNumber(sum(days, 'requests'))}>
        <Change now={sum(days, 'requests')} before={sum(daysBefore, 'requests')} days={days.length} />
      </Figure>
      {children}
    </section>
  )
}

interface FigureProps {
  name: string
  value: string
  children: ReactNode
}

const Figure = ({ name, value, children }: FigureProps) => (
  <div className="overview-figure">
    <span>{name}</span>
    <strong>{value}</strong>
    {children}
  </div>
)
