import { ChevronDown, ChevronUp, X } from 'lucide'
import { useEffect, useId, useState, useSyncExternalStore } from 'react'
import { Icon } from '../../design/icon.tsx'
import { formatLength, formatNumber, t } from '../../strings.ts'
import { Ending } from '../../upload/ending.tsx'
import type { UnfinishedUpload } from '../../upload/memory.ts'
import { findStage, type QueueState } from '../../upload/state.ts'
import { UploadList } from '../../upload/upload-list.tsx'
import { useQueue } from '../../upload/use-queue.ts'
import { useRefresh } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Duplicates } from './duplicates.tsx'
import type { Duplicate } from './find-duplicates.ts'
import { Interrupted } from './interrupted.tsx'
import { useUploads } from './uploads-context.tsx'

/** All uploads: a card above the player, in each part of the studio. */
export function UploadPanel() {
  const { queue, memory, readDuplicates, subscribeToDuplicates } = useUploads()
  const state = useQueue(queue)
  const duplicates = useSyncExternalStore(subscribeToDuplicates, readDuplicates)
  const interrupted = useSyncExternalStore(memory.subscribe, memory.read)
  const refresh = useRefresh()
  const stage = findStage(state)
  const isUsed = state.uploads.length > 0
  // New tracks are in the lists after each stage.
  useEffect(() => {
    if (isUsed && stage !== 'sending') void refresh()
  }, [refresh, isUsed, stage])
  return (
    <>
      <Ending state={state} />
      {(isUsed || interrupted.length + duplicates.length > 0) && (
        <Card state={state} interrupted={interrupted} duplicates={duplicates} />
      )}
    </>
  )
}

interface CardProps {
  state: QueueState
  interrupted: readonly UnfinishedUpload[]
  duplicates: readonly Duplicate[]
}

function Card({ state, interrupted, duplicates }: CardProps) {
  const { queue } = useUploads()
  const [isOpen, setOpen] = useFold()
  const listId = useId()
  const stage = findStage(state)
  const { sentBytes, totalBytes } = state.progress
  return (
    <aside className="upload-panel" aria-label={t('studio.uploads')}>
      <div className="upload-panel-head">
        <h2>
          <Button
            kind="bare"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            onPress={() => setOpen(!isOpen)}
          >
            <span className="upload-panel-title">{t('studio.uploads')}</span>
            <span className="upload-panel-state">
              <Summary state={state} interrupted={interrupted.length} questions={duplicates.length} />
            </span>
            <Icon of={isOpen ? ChevronDown : ChevronUp} />
          </Button>
        </h2>
        {stage === 'ended' && state.uploads.length > 0 && (
          <Button kind="bare" aria-label={t('upload.dismiss')} onPress={queue.dismiss}>
            <Icon of={X} />
          </Button>
        )}
      </div>
      {stage === 'sending' && <progress max={totalBytes || 1} value={sentBytes} aria-label={t('studio.uploads')} />}
      {isOpen && (
        <div id={listId} className="upload-panel-list">
          {duplicates.length > 0 && <Duplicates duplicates={duplicates} />}
          {interrupted.length > 0 && <Interrupted uploads={interrupted} />}
          <UploadList queue={queue} state={state} isCompact />
        </div>
      )}
    </aside>
  )
}

/** How many files are done, and how long the rest takes. */
function Summary({ state, interrupted, questions }: { state: QueueState; interrupted: number; questions: number }) {
  const { counts, uploads, progress, secondsLeft } = state
  const stage = findStage(state)
  const share = progress.totalBytes === 0 ? 0 : progress.sentBytes / progress.totalBytes
  const facts = [
    uploads.length > 0 &&
      t('upload.summary', { done: formatNumber(counts.ready + counts.sent), total: formatNumber(uploads.length) }),
    stage === 'sending' && formatNumber(Math.floor(share * 100) / 100, { style: 'percent' }),
    stage === 'sending' && secondsLeft !== null && t('upload.left', { time: formatLength(Math.ceil(secondsLeft)) }),
    stage === 'paused' && t('upload.stagePaused'),
    stage === 'processing' && t('upload.stageProcessing'),
    interrupted > 0 && t('upload.interruptions', { count: formatNumber(interrupted) }),
    questions > 0 && t(questions === 1 ? 'upload.question' : 'upload.questions', { count: formatNumber(questions) }),
  ]
  return (
    <>
      {facts.filter(Boolean).join(' · ')}
      {counts.failed > 0 && (
        <>
          {' · '}
          <span className="problem">{t('upload.failures', { count: formatNumber(counts.failed) })}</span>
        </>
      )}
    </>
  )
}

const KEY = 'tonearm.uploads.panel'

/** Whether the list is open, which this browser remembers. Initially not where it would cover the page of a phone. */
function useFold(): [boolean, (isOpen: boolean) => void] {
  const [isOpen, setOpen] = useState(() => {
    const choice = localStorage.getItem(KEY)
    return choice === null ? matchMedia('(width >= 760px)').matches : choice === 'open'
  })
  const choose = (next: boolean) => {
    localStorage.setItem(KEY, next ? 'open' : 'folded')
    setOpen(next)
  }
  return [isOpen, choose]
}
