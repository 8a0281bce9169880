import { useEffect, useEffectEvent } from 'react'
import { Label, ProgressBar } from 'react-aria-components'
import type { TextName } from '../../strings.ts'
import { formatDate, formatNumber, t } from '../../strings.ts'
import { useChange, usePages } from '../api.ts'
import { BatchesDocument, type BatchesQuery, type BatchState, CancelBatchDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { PagedList } from '../ui/paged-list.tsx'

type Batch = BatchesQuery['batches']['edges'][number]['node']

const states: Record<BatchState, TextName> = {
  QUEUED: 'variant.queued',
  RUNNING: 'variant.running',
  DONE: 'variant.done',
  CANCELLED: 'variant.cancelled',
}

/** No subscription reports batches. */
const REFRESH_MS = 2000
const ROW_PX = 112

/** Applications of variants to existing tracks, the newest first. They are read again until all have ended. */
export function Batches() {
  const pages = usePages(BatchesDocument, {}, (data) => data.batches)
  const isActive = pages.nodes.some(({ finishedAt }) => !finishedAt)
  const refresh = useEffectEvent(() => void pages.refetch())
  useEffect(() => {
    if (!isActive) return
    const timer = setInterval(refresh, REFRESH_MS)
    return () => clearInterval(timer)
  }, [isActive])
  return (
    <PagedList
      label={t('variant.batches')}
      pages={pages}
      textOf={({ variant }) => variant?.index ?? t('variant.gone')}
      empty={t('variant.noBatches')}
      rowHeight={ROW_PX}
    >
      {(batch) => <Row batch={batch} />}
    </PagedList>
  )
}

function Row({ batch }: { batch: Batch }) {
  const { id, variant, state, createdAt, finishedAt, progressPercent, ...counts } = batch
  const canWrite = useCanWrite()
  const cancel = useChange(CancelBatchDocument)
  const values = {
    total: formatNumber(counts.total),
    done: formatNumber(counts.done),
    failed: formatNumber(counts.failed),
    cancelled: formatNumber(counts.cancelled),
  }
  return (
    <>
      <span className="variant-row">
        <strong>{variant?.index ?? t('variant.gone')}</strong>
        <span>
          {t(states[state])} · {formatDate(createdAt)}
        </span>
        <small>{t('variant.counts', values)}</small>
        <ProgressBar value={progressPercent} className="batch-progress">
          {({ percentage }) => (
            <>
              <Label>{t('variant.progress')}</Label>
              <span className="track">
                <span className="fill" style={{ width: `${percentage ?? 0}%` }} />
              </span>
            </>
          )}
        </ProgressBar>
      </span>
      {canWrite && !finishedAt && state !== 'CANCELLED' && (
        <Button isPending={cancel.isPending} onPress={() => cancel.mutate({ id })}>
          {t('studio.cancel')}
        </Button>
      )}
    </>
  )
}
