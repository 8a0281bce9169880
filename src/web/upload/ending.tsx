import { formatNumber, t } from '../strings.ts'
import { findStage, type QueueState } from './state.ts'

/** Says once to screen readers that all files of a queue are done. */
export function Ending({ state }: { state: QueueState }) {
  const { uploads, counts } = state
  const isEnded = uploads.length > 0 && findStage(state) === 'ended'
  const numbers = { done: formatNumber(counts.ready + counts.sent), failed: formatNumber(counts.failed) }
  return (
    <p className="visually-hidden" role="status">
      {isEnded && t('upload.allEnded', numbers)}
    </p>
  )
}
