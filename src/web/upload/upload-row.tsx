import { ArrowUp, AudioLines, CircleAlert, CircleCheck, Clock, type IconNode, Pause } from 'lucide'
import { memo, useRef } from 'react'
import { Icon } from '../design/icon.tsx'
import { formatBytes, formatNumber, t } from '../strings.ts'
import type { Queue } from './queue.ts'
import { isOpen, isPausable, type Phase, type Upload } from './state.ts'

interface Props {
  upload: Upload
  /** Among those that wait. Null for others. */
  place: number | null
  queue: Queue
  /** Leaves out the cover of the track. */
  isCompact: boolean
}

/** One file. Rendered again only when its own state changes. */
export const UploadRow = memo(function UploadRow({ upload, place, queue, isCompact }: Props) {
  const { id, kind, name, bytes, phase, percent, problem } = upload
  // Covers have no progress.
  const isRunning = kind === 'recording' && ['sending', 'paused', 'processing'].includes(phase)
  return (
    <li className={`upload ${phase}`}>
      <Icon of={phaseIcons[phase]} />
      <div className="upload-text">
        <span className="upload-name">{name}</span>
        <span className="quiet">
          {kind === 'cover' && `${t('upload.coverOf')}, `}
          {formatBytes(bytes)}, {describePhase(upload, place)}
        </span>
        {isRunning && <progress max={100} value={percent} aria-label={name} />}
        {problem && <span className={phase === 'failed' ? 'problem' : 'quiet'}>{problem}</span>}
      </div>
      <div className="upload-actions">
        {!isCompact && upload.cover !== 'closed' && phase !== 'failed' && <Cover upload={upload} queue={queue} />}
        {isPausable(upload) && <Action name={name} label={t('upload.pause')} run={() => queue.pause(id)} />}
        {phase === 'paused' && <Action name={name} label={t('upload.resume')} run={() => queue.resume(id)} />}
        {upload.isRetryable && <Action name={name} label={t('upload.retry')} run={() => queue.retry(id)} />}
        {isOpen(upload) && <Action name={name} label={t('upload.cancel')} run={() => queue.remove(id)} />}
        {phase === 'failed' && !upload.isRetryable && (
          <Action name={name} label={t('upload.hide')} run={() => queue.remove(id)} />
        )}
      </div>
    </li>
  )
})

const phaseIcons: Record<Phase, IconNode> = {
  waiting: Clock,
  sending: ArrowUp,
  paused: Pause,
  processing: AudioLines,
  ready: CircleCheck,
  sent: CircleCheck,
  failed: CircleAlert,
}

function describePhase({ kind, phase, percent, problem }: Upload, place: number | null): string {
  if (kind === 'cover' && phase === 'sending') return t('upload.coverSending')
  if (kind === 'cover' && phase === 'processing') return t('upload.coverBusy')
  // A file with a problem waits for its next try, and not for its turn.
  if (place !== null && problem === null) {
    return t(phase === 'waiting' ? 'upload.waitingAt' : 'upload.queuedAt', { place: formatNumber(place) })
  }
  return t(`upload.${phase}`, { percent: formatNumber(percent / 100, { style: 'percent' }) })
}

const Action = ({ name, label, run }: { name: string; label: string; run: () => void }) => (
  <button type="button" className="button" aria-label={`${label}: ${name}`} onClick={run}>
    {label}
  </button>
)

/** Sends a picture as the cover of the track. */
function Cover({ upload: { id, name, cover }, queue }: Pick<Props, 'upload' | 'queue'>) {
  const input = useRef<HTMLInputElement>(null)
  if (cover === 'sent') return <span className="quiet">{t('upload.coverSent')}</span>
  if (cover === 'sending') return <span className="quiet">{t('upload.coverSending')}</span>
  return (
    <>
      <Action name={name} label={t('upload.addCover')} run={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        accept="image/*"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) queue.sendCover(id, file)
        }}
      />
    </>
  )
}
