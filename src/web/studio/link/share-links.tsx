import { useState } from 'react'
import { t } from '../../strings.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ShareForm, useCreateLink } from './share-form.tsx'
import type { Shareable } from './subject.ts'
import { WithLinks } from './subject-links.tsx'

/** The button "Share…" of a track or a collection, with its dialog. Viewers may not create keys and do not see it. */
export function ShareLinks(subject: Shareable) {
  const [isOpen, setOpen] = useState(false)
  if (!useCanWrite()) return null
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t('access.share')}</Button>
      {isOpen && <ShareDialog of={subject} onClose={() => setOpen(false)} />}
    </>
  )
}

export function ShareDialog({ of: subject, onClose }: { of: Shareable; onClose: () => void }) {
  const create = useCreateLink()
  return (
    <Dialog title={t('access.shareTitle')} isOpen onClose={onClose}>
      <WithLinks of={subject}>{(shared) => <ShareForm create={create} shared={shared} onClose={onClose} />}</WithLinks>
    </Dialog>
  )
}
