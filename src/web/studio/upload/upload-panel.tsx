import { useEffect, useState } from 'react'
import { formatNumber, t } from '../../strings.ts'
import { UploadList } from '../../upload/upload-list.tsx'
import { useQueue } from '../../upload/use-queue.ts'
import { useRefresh } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { useUploads } from './uploads-context.tsx'

/** All uploads, at the edge of each part of the studio. */
export function UploadPanel() {
  const { queue } = useUploads()
  const state = useQueue(queue)
  const refresh = useRefresh()
  const [isOpen, setOpen] = useState(true)
  const { counts, uploads } = state
  const stage = counts.waiting + counts.sending > 0 ? 'sending' : counts.processing > 0 ? 'processing' : 'ended'
  const isShown = uploads.length > 0
  // New tracks are in the lists after each stage.
  useEffect(() => {
    if (isShown && stage !== 'sending') void refresh()
  }, [refresh, isShown, stage])
  if (!isShown) return null
  const done = formatNumber(counts.ready + counts.sent)
  return (
    <aside className="upload-panel" aria-label={t('studio.uploads')}>
      <div className="upload-panel-head">
        <h2>{t('studio.uploads')}</h2>
        {!isOpen && <p>{t('upload.summary', { done, total: formatNumber(uploads.length) })}</p>}
        <Button aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {t(isOpen ? 'upload.hide' : 'upload.show')}
        </Button>
      </div>
      {isOpen && <UploadList queue={queue} state={state} />}
    </aside>
  )
}
