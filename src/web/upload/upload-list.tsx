import { formatNumber, t } from '../strings.ts'
import type { Queue } from './queue.ts'
import { findPlaces, isDone, isPausable, type QueueState, selectRows } from './state.ts'
import { UploadRow } from './upload-row.tsx'

interface Props {
  queue: Queue
  state: QueueState
  /** Leaves out the number of files, and the covers of single tracks. Defaults to false */
  isCompact?: boolean
}

/** The files of a queue with their progress, and buttons for all of them. */
export function UploadList({ queue, state: { uploads, counts }, isCompact = false }: Props) {
  if (uploads.length === 0) return null
  const rows = selectRows(uploads)
  const places = findPlaces(uploads)
  const done = formatNumber(counts.ready + counts.sent)
  const hidden = uploads.length - rows.length
  return (
    <section className="uploads" aria-label={t('upload.files')}>
      <div className="uploads-head">
        {!isCompact && (
          <p>
            <strong>{t('upload.summary', { done, total: formatNumber(uploads.length) })}</strong>
            {counts.failed > 0 && <>, {t('upload.failures', { count: formatNumber(counts.failed) })}</>}
          </p>
        )}
        {uploads.some(isPausable) && <All label={t('upload.pauseAll')} run={queue.pauseAll} />}
        {uploads.some(({ phase, isRetryable }) => phase === 'failed' && isRetryable) && (
          <All label={t('upload.retryAll')} run={queue.retryAll} />
        )}
        {counts.paused > 0 && <All label={t('upload.resumeAll')} run={queue.resumeAll} />}
        {uploads.some(isDone) && <All label={t('upload.clear')} run={queue.clear} />}
      </div>
      <ul>
        {rows.map((upload) => (
          <UploadRow
            key={upload.id}
            upload={upload}
            place={places.get(upload.id) ?? null}
            queue={queue}
            isCompact={isCompact}
          />
        ))}
      </ul>
      {hidden > 0 && <p className="quiet">{t('upload.more', { count: formatNumber(hidden) })}</p>}
    </section>
  )
}

const All = ({ label, run }: { label: string; run: () => void }) => (
  <button type="button" className="button" onClick={run}>
    {label}
  </button>
)
