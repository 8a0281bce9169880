import { useState } from 'react'
import { formatDate, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { CreateUploadSessionDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../time.ts'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Choice } from '../ui/field.tsx'

/** The button "Create upload link" of a collection, with its dialog. Viewers do not see it. */
export function UploadLink({ collectionId }: { collectionId: string }) {
  const [isOpen, setOpen] = useState(false)
  if (!useCanWrite()) return null
  const close = () => setOpen(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t('upload.linkCreate')}</Button>
      <UploadLinkDialog collectionId={collectionId} isOpen={isOpen} onClose={close} />
    </>
  )
}

interface DialogProps {
  collectionId: string
  isOpen: boolean
  onClose: () => void
}

export const UploadLinkDialog = ({ collectionId, isOpen, onClose }: DialogProps) => (
  <Dialog title={t('upload.linkTitle')} isOpen={isOpen} onClose={onClose}>
    <LinkForm collectionId={collectionId} onClose={onClose} />
  </Dialog>
)

const times = [
  { id: String(HOUR_SECONDS), text: t('upload.hour') },
  { id: String(8 * HOUR_SECONDS), text: t('upload.hours') },
  { id: String(DAY_SECONDS), text: t('upload.day') },
]

function LinkForm({ collectionId, onClose }: { collectionId: string; onClose: () => void }) {
  const { mutate, data, error, isPending } = useChange(CreateUploadSessionDocument)
  const session = data?.createUploadSession.uploadSession
  if (session) {
    const hint = t('upload.linkUntil', { time: formatDate(session.expiresAt) })
    return (
      <div className="form">
        <CopyField label={t('upload.link')} value={`${location.origin}/u/${session.id}`} hint={hint} />
        <div className="actions">
          <Button kind="primary" onPress={onClose}>
            {t('studio.done')}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <EditForm
      onSubmit={(fields) => mutate({ collectionId, expiresIn: Number(fields.get('expiresIn')) })}
      onCancel={onClose}
      isBusy={isPending}
      error={error}
      label={t('upload.linkCreate')}
    >
      <p>{t('upload.linkText')}</p>
      <Choice label={t('upload.linkFor')} name="expiresIn" choices={times} defaultValue={String(DAY_SECONDS)} />
    </EditForm>
  )
}
