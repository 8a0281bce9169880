import type { ReactNode } from 'react'
import { formatDate, formatNumber, type TextName, t, textOfCode } from '../../strings.ts'
import { useChange } from '../api.ts'
import { RetryJobDocument, type TrackJobFragment } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'

const kinds: Record<TrackJobFragment['kind'], TextName> = {
  PROCESS_TRACK: 'library.processTrack',
  PROCESS_VARIANT: 'library.processVariant',
  PROCESS_TRACK_COVER: 'library.processCover',
  PROCESS_COLLECTION_COVER: 'library.processCover',
  PROCESS_ORGANIZATION_COVER: 'library.processCover',
  REBUILD_TRACK: 'library.rebuildTrack',
  TRANSCRIBE_TRACK: 'library.transcribeTrack',
}
const states: Record<Exclude<TrackJobFragment['state'], 'DONE'>, [TextName, 'good' | 'bad' | 'busy']> = {
  FAILED: ['library.error', 'bad'],
  CANCELLED: ['library.cancelled', 'good'],
  RUNNING: ['library.running', 'busy'],
  QUEUED: ['library.queued', 'busy'],
}

/** A failed upload is repeated as a whole, and a transcription where the text is. */
const otherwiseRepeated: readonly TrackJobFragment['kind'][] = ['PROCESS_TRACK', 'TRANSCRIBE_TRACK']

/** The latest jobs of a track. */
export function Jobs({ jobs }: { jobs: readonly TrackJobFragment[] }) {
  if (jobs.length === 0) return null
  return (
    <section>
      <h2>{t('library.jobs')}</h2>
      <JobList label={t('library.jobs')} jobs={jobs} />
    </section>
  )
}

interface JobListProps<Job> {
  label: string
  jobs: readonly Job[]
  /** Shows the record that a job is for. */
  renderSubject?: (job: Job) => ReactNode
}

/** Jobs with their states and reasons, and a button that repeats a failed one. */
export function JobList<Job extends TrackJobFragment>({ label, jobs, renderSubject }: JobListProps<Job>) {
  const { mutate, isPending, error, variables } = useChange(RetryJobDocument)
  const canWrite = useCanWrite()
  return (
    <>
      <ul className="entries" aria-label={label}>
        {jobs.map((job) => (
          <li key={job.id}>
            {renderSubject?.(job)}
            <strong>{[t(kinds[job.kind]), job.variant?.index].filter(Boolean).join(' · ')}</strong>
            {job.state !== 'DONE' && (
              <span className={`status ${states[job.state][1]}`}>{t(states[job.state][0])}</span>
            )}
            <span className="quiet">{formatDate(job.createdAt)}</span>
            {job.durationSeconds !== null && <span className="quiet">{formatSeconds(job.durationSeconds)}</span>}
            {canWrite && job.state === 'FAILED' && !otherwiseRepeated.includes(job.kind) && (
              <Button onPress={() => mutate({ id: job.id })} isPending={isPending && variables.id === job.id}>
                {t('studio.retry')}
              </Button>
            )}
            {job.error && <p>{textOfCode('reason', job.error, job.error)}</p>}
            {job.retryAt && <p>{t('library.retryAt', { at: formatDate(job.retryAt) })}</p>}
          </li>
        ))}
      </ul>
      <Refusal error={error} />
    </>
  )
}

const formatSeconds = (seconds: number) =>
  formatNumber(seconds, { style: 'unit', unit: 'second', maximumFractionDigits: seconds < 10 ? 1 : 0 })
