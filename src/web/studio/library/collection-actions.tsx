import { useRef, useState } from 'react'
import { MenuItem } from 'react-aria-components'
import { useLocation } from 'wouter'
import { formatNumber, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { useUndo } from '../deleted/use-restore.ts'
import { type CollectionDetailFragment as Collection, DeleteCollectionDocument } from '../generated/operations.ts'
import { CopyLink } from '../link/copy-link.tsx'
import { ShareLinks } from '../link/share-links.tsx'
import { useCanWrite } from '../role.ts'
import { Confirm } from '../ui/dialog.tsx'
import { MoreActions } from '../ui/more-actions.tsx'
import { say } from '../ui/notice.tsx'
import { CoverInput, useCoverUpload } from '../upload/cover-upload.tsx'
import { UploadLinkDialog } from '../upload/upload-link.tsx'
import { EditCollection } from './collection-form.tsx'
import { SortTracks } from './order/sort-tracks.tsx'
import { EditPodcast } from './podcast-form.tsx'

type Opened = 'edit' | 'podcast' | 'uploadLink' | 'sort' | 'delete'

/**
 * Buttons that share a collection, and a menu of those that change it.
 * @param props.refetch reads its tracks again
 */
export function CollectionActions({ collection, refetch }: { collection: Collection; refetch: () => unknown }) {
  const { id, title, tracks } = collection
  const [open, setOpen] = useState<Opened | null>(null)
  const coverInput = useRef<HTMLInputElement>(null)
  const cover = useCoverUpload('collection', id)
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
          navigate('/collections', { replace: true })
          say(t('library.collectionDeleted', { title }), undo('collection', id, title))
        },
      },
    )
  return (
    <>
      <ShareLinks collectionId={id} />
      <CopyLink kind="plain" collectionId={id} />
      <MoreActions>
        <MenuItem onAction={() => setOpen('edit')}>{t('studio.edit')}</MenuItem>
        <MenuItem onAction={() => coverInput.current?.click()}>{t('upload.cover')}</MenuItem>
        <MenuItem onAction={() => setOpen('podcast')}>{t('library.podcast')}</MenuItem>
        <MenuItem onAction={() => navigate(`/collection/${id}/feeds`)}>{t('feeds.title')}</MenuItem>
        <MenuItem onAction={() => setOpen('sort')}>{t('order.sortTracks')}</MenuItem>
        <MenuItem onAction={() => setOpen('uploadLink')}>{t('upload.linkCreate')}</MenuItem>
        <MenuItem onAction={() => navigate(`/activity?id=${id}`)}>{t('studio.activity')}</MenuItem>
        <MenuItem className="danger" onAction={() => setOpen('delete')}>
          {t('studio.delete')}
        </MenuItem>
      </MoreActions>
      <CoverInput cover={cover} input={coverInput} />
      <UploadLinkDialog collectionId={id} isOpen={open === 'uploadLink'} onClose={close} />
      <EditCollection collection={collection} isOpen={open === 'edit'} onClose={close} />
      <EditPodcast collection={collection} isOpen={open === 'podcast'} onClose={close} />
      {open === 'sort' && <SortTracks collectionId={id} refetch={refetch} onClose={close} />}
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
