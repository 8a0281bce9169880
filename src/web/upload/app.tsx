import { AudioLines, Check as CheckMark, Clock, type IconNode, RotateCcw } from 'lucide'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { Icon } from '../design/icon.tsx'
import { formatBytes, formatDate, formatNumber, t } from '../strings.ts'
import { DropZone, formatNames } from './drop-zone.tsx'
import { Ending } from './ending.tsx'
import type { ChosenFile } from './files.ts'
import type { UnfinishedUpload, UploadMemory } from './memory.ts'
import type { Queue } from './queue.ts'
import type { CreatedTrack } from './service.ts'
import { isBusy } from './state.ts'
import { UploadList } from './upload-list.tsx'
import { useQueue } from './use-queue.ts'

/** As the gateway writes it (roles/gateway/upload-page.ts). */
export interface PageData {
  sessionId: string
  /** ISO 8601. */
  expiresAt: string
  /** Bytes of the largest recording. */
  maxBytes: number
  /** The track that was created with the session. */
  prepared: (Pick<CreatedTrack, 'trackId' | 'upload' | 'coverUpload'> & { title: string; bytes: number | null }) | null
}

interface Props {
  data: PageData
  queue: Queue
  memory: UploadMemory
}

/** The page of an upload session. Files whose upload a reload has interrupted continue it. */
export function UploadApp({ data, queue, memory }: Props) {
  const state = useQueue(queue)
  const interrupted = useSyncExternalStore(memory.subscribe, memory.read)
  const isEnded = useIsPast(data.expiresAt)
  const [prepared, setPrepared] = useState(data.prepared)
  const [destination] = useState(() => ({ id: data.sessionId, openSession: async () => data.sessionId }))

  function add(files: ChosenFile[]) {
    let open = prepared
    const newFiles = files.filter((file) => {
      const upload = memory.take(file.file, data.sessionId)
      if (upload) queue.add([{ ...file, created: upload.created }], destination)
      if (upload?.created?.trackId === open?.trackId) open = null
      return !upload
    })
    const preparedFile = newFiles.find(({ file }) => open && (open.bytes ?? file.size) === file.size)
    setPrepared(preparedFile ? null : open)
    if (!open || !preparedFile) return queue.add(newFiles, destination)
    const created = { ...open, sessionId: data.sessionId }
    queue.add([{ ...preparedFile, created }, ...newFiles.filter((file) => file !== preparedFile)], destination)
  }
  const { counts, uploads } = state
  const isComplete = uploads.length > 0 && !isBusy(state) && counts.processing + counts.failed === 0
  return (
    <>
      {isEnded ? (
        <Notice icon={Clock} role="alert">
          {t('upload.ended')}
        </Notice>
      ) : (
        <>
          <p className="lead">{t('upload.lead')}</p>
          {interrupted.length > 0 && <Interrupted uploads={interrupted} />}
          {prepared && <Prepared {...prepared} />}
          <div className={`sheet ${uploads.length > 0 ? 'with-files' : ''}`}>
            <DropZone onFiles={add} isWholeWindow />
            <p className="terms">
              {t('upload.until', { time: formatDate(data.expiresAt), size: formatBytes(data.maxBytes) })}
            </p>
          </div>
        </>
      )}
      {isComplete && <Notice icon={CheckMark}>{t('upload.complete')}</Notice>}
      <UploadList queue={queue} state={state} />
      <Ending state={state} />
    </>
  )
}

function Interrupted({ uploads }: { uploads: readonly UnfinishedUpload[] }) {
  const count = uploads.length
  return (
    <Notice icon={RotateCcw} role="status">
      {t(count === 1 ? 'upload.interruptedOne' : 'upload.interrupted', { count: formatNumber(count) })}{' '}
      {formatNames(uploads.map(({ fileName }) => fileName))}
    </Notice>
  )
}

const Prepared = ({ title, bytes }: { title: string; bytes: number | null }) => (
  <Notice icon={AudioLines}>
    {bytes === null ? t('upload.prepared', { title }) : t('upload.preparedSize', { title, size: formatBytes(bytes) })}
  </Notice>
)

interface NoticeProps {
  icon: IconNode
  role?: 'alert' | 'status'
  children: ReactNode
}

const Notice = ({ icon, role, children }: NoticeProps) => (
  <div className="notice" role={role}>
    <Icon of={icon} />
    <span>{children}</span>
  </div>
)

/** Whether a time is over. The clock of the browser may differ: the service decides. */
function useIsPast(time: string): boolean {
  const [isPast, setPast] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setPast(true), Math.max(0, Date.parse(time) - Date.now()))
    return () => clearTimeout(timer)
  }, [time])
  return isPast
}
