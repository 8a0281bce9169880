import { useEffect, useState } from 'react'
import { formatBytes, formatDate, t } from '../strings.ts'
import { DropZone } from './drop-zone.tsx'
import { Ending } from './ending.tsx'
import type { ChosenFile } from './files.ts'
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

/** The page of an upload session. */
export function UploadApp({ data, queue }: { data: PageData; queue: Queue }) {
  const state = useQueue(queue)
  const isEnded = useIsPast(data.expiresAt)
  const [prepared, setPrepared] = useState(data.prepared)
  const [destination] = useState(() => ({ id: data.sessionId, openSession: async () => data.sessionId }))

  function add(files: ChosenFile[]) {
    const preparedFile = files.find(({ file }) => prepared && (prepared.bytes ?? file.size) === file.size)
    if (!prepared || !preparedFile) return queue.add(files, destination)
    setPrepared(null)
    const created = { ...prepared, sessionId: data.sessionId }
    queue.add([{ ...preparedFile, created }, ...files.filter((file) => file !== preparedFile)], destination)
  }
  const { counts, uploads } = state
  const isComplete = uploads.length > 0 && !isBusy(state) && counts.processing + counts.failed === 0
  return (
    <>
      {isEnded ? (
        <p className="notice" role="alert">
          {t('upload.ended')}
        </p>
      ) : (
        <>
          <p>{t('upload.lead')}</p>
          {prepared && <Prepared {...prepared} />}
          <DropZone onFiles={add} isWholeWindow />
          <p className="quiet">
            {t('upload.until', { time: formatDate(data.expiresAt), size: formatBytes(data.maxBytes) })}
          </p>
        </>
      )}
      <UploadList queue={queue} state={state} />
      <Ending state={state} />
      {isComplete && <p className="notice">{t('upload.complete')}</p>}
    </>
  )
}

const Prepared = ({ title, bytes }: { title: string; bytes: number | null }) => (
  <p>
    {bytes === null ? t('upload.prepared', { title }) : t('upload.preparedSize', { title, size: formatBytes(bytes) })}
  </p>
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
