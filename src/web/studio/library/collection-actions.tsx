import { useState } from 'react'
import { useLocation } from 'wouter'
import { formatNumber, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { useUndo } from '../deleted/use-restore.ts'
import { type CollectionDetailFragment as Collection, DeleteCollectionDocument } from '../generated/operations.ts'
import { CopyLink } from '../link/copy-link.tsx'
import { ShareLinks } from '../link/share-links.tsx'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'
import { CoverUpload } from '../upload/cover-upload.tsx'
import { EditCollection } from './collection-form.tsx'
import { EditPodcast } from './podcast-form.tsx'

/** Buttons that change a collection. */
export function CollectionActions({ collection }: { collection: Collection }) {
  const { id, title, tracks } = collection
  const [open, setOpen] = useState<'edit' | 'podcast' | 'delete' | null>(null)
  const [, navigate] = useLocation()
  const undo = useUndo()
  const { mutate, isPending, error, reset } = useChange(DeleteCollectionDocument)
  const close = () => {
    reset()
    setOpen(null)
  }
  if (!useCanWrite()) return null
  const remove = () =>
    mutate(
      { id },
      {
        onSuccess: () => {
          navigate('/', { replace: true })
          say(t('library.collectionDeleted', { title }), undo('collection', id, title))
        },
      },
    )
  return (
    <>
      <CopyLink collectionId={id} />
      <ShareLinks collectionId={id} />
      <Button onPress={() => setOpen('edit')}>{t('studio.edit')}</Button>
      <Button onPress={() => setOpen('podcast')}>{t('library.podcast')}</Button>
      <CoverUpload owner="collection" id={id} />
      <Button kind="danger" onPress={() => setOpen('delete')}>
        {t('studio.delete')}
      </Button>
      <EditCollection collection={collection} isOpen={open === 'edit'} onClose={close} />
      <EditPodcast collection={collection} isOpen={open === 'podcast'} onClose={close} />
      <Confirm
        title={t('library.deleteCollection')}
        text={t('library.deleteCollectionText', { title, count: formatNumber(tracks.totalCount) })}
        label={t('studio.delete')}
        isOpen={open === 'delete'}
        isBusy={isPending}
        error={error}
        onConfirm={remove}
        onClose={close}
      />
    </>
  )
}
