import { useEffect, useEffectEvent, useState } from 'react'
import { Link } from 'wouter'
import { formatDate, formatNumber, t } from '../../strings.ts'
import { useData } from '../api.ts'
import {
  type SubjectJobFragment as Job,
  ProcessingDocument,
  type ProcessingQuery,
  UndeliveredEventsDocument,
  type UndeliveredEventsQuery,
} from '../generated/operations.ts'
import { JobList } from '../library/jobs.tsx'
import { DAY_SECONDS } from '../time.ts'
import { Answered } from '../ui/answer.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { ServiceHealth } from './health.tsx'

const REFRESH_MS = 10_000

/** The work of the service for the organization: what waits, runs and has failed. */
export default function ProcessingPage() {
  const [since] = useState(() => new Date(Date.now() - DAY_SECONDS * 1000).toISOString())
  const jobs = useData(ProcessingDocument, {})
  const deliveries = useData(UndeliveredEventsDocument, { since })
  const refresh = useEffectEvent(() => void Promise.all([jobs.refetch(), deliveries.refetch()]))
  useEffect(() => {
    const timer = setInterval(refresh, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <PageHeading text={t('studio.processing')} />
      <ServiceHealth />
      <Answered of={jobs}>{(data) => <Queue data={data} />}</Answered>
      <Answered of={deliveries}>{(data) => <Deliveries data={data} />}</Answered>
    </>
  )
}

function Queue({ data: { waiting, running, failed } }: { data: ProcessingQuery }) {
  const [oldest] = waiting.nodes
  return (
    <>
      {oldest && (
        <p className="lead">
          {t('processing.count', { waiting: formatNumber(waiting.totalCount) })}{' '}
          {t('processing.oldest', { at: formatDate(oldest.createdAt) })}
        </p>
      )}
      <Part title={t('processing.running')} jobs={running.nodes} />
      <Part title={t('processing.waiting')} jobs={waiting.nodes} />
      <Part title={t('processing.failed')} jobs={failed.nodes} />
      {running.nodes.length + waiting.nodes.length + failed.nodes.length === 0 && <p>{t('processing.nothing')}</p>}
    </>
  )
}

function Part({ title, jobs }: { title: string; jobs: readonly Job[] }) {
  if (jobs.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <JobList label={title} jobs={jobs} renderSubject={renderSubject} />
    </section>
  )
}

/** The record that a job is for. It may have been deleted since. */
const renderSubject = ({ track, collection }: Job) => {
  if (track) return <Link href={`/track/${track.id}`}>{track.title}</Link>
  return collection && <Link href={`/collection/${collection.id}`}>{collection.title}</Link>
}

function Deliveries({ data: { pendingDeliveries, failedDeliveries } }: { data: UndeliveredEventsQuery }) {
  const [oldest] = pendingDeliveries.nodes
  const counts = {
    pending: formatNumber(pendingDeliveries.totalCount),
    failed: formatNumber(failedDeliveries.totalCount),
  }
  return (
    <section>
      <h2>{t('studio.webhooks')}</h2>
      <p>
        {t('processing.deliveries', counts)} {oldest && t('processing.oldest', { at: formatDate(oldest.createdAt) })}
      </p>
      <Link href="/webhooks">{t('processing.endpoints')}</Link>
    </section>
  )
}
