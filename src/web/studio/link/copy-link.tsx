import { useState } from 'react'
import { copyText } from '../../copy-text.ts'
import { t } from '../../strings.ts'
import { useRefresh, useRun } from '../api.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'
import { LinkShown } from './link-shown.tsx'
import { formatPreparedLink, type PreparedLink, prepareLink, UndecidedVariant } from './prepare-link.ts'
import { ShareDialog } from './share-links.tsx'
import type { Shareable } from './subject.ts'

/** Copies a link to a track or collection with one press: the one that exists, or a new one that never expires. */
export function CopyLink({ kind = 'primary', ...shareable }: Shareable & { kind?: 'primary' | 'plain' }) {
  const run = useRun()
  const refresh = useRefresh()
  const [isBusy, setBusy] = useState(false)
  const [isChoosing, setChoosing] = useState(false)
  const [uncopiedLink, setUncopiedLink] = useState<PreparedLink | null>(null)
  if (!useCanWrite()) return null

  async function copy() {
    setBusy(true)
    try {
      const preparing = prepareLink(run, shareable)
      const isCopied = await copyText(preparing.then(formatPreparedLink))
      const link = await preparing
      void refresh()
      if (isCopied) say(t('link.copied', { title: link.subject.title }))
      else setUncopiedLink(link)
    } catch (error) {
      if (error instanceof UndecidedVariant) setChoosing(true)
      else say(t('link.notCreated', { reason: error instanceof Error ? error.message : String(error) }))
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <Button kind={kind} onPress={() => void copy()} isPending={isBusy}>
        {t('link.copy')}
      </Button>
      {isChoosing && <ShareDialog of={shareable} onClose={() => setChoosing(false)} />}
      {uncopiedLink && (
        <Dialog title={t('access.shareTitle')} isOpen onClose={() => setUncopiedLink(null)}>
          <div className="form">
            <p>{t('studio.notCopied')}</p>
            <LinkShown {...uncopiedLink.subject} apiKey={uncopiedLink.apiKey} />
          </div>
        </Dialog>
      )}
    </>
  )
}
