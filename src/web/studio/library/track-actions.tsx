import { useRef, useState } from 'react'
import { MenuItem } from 'react-aria-components'
import { useLocation } from 'wouter'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { useUndo } from '../deleted/use-restore.ts'
import { DeleteTrackDocument, type TrackDetailFragment as Track } from '../generated/operations.ts'
import { CopyLink } from '../link/copy-link.tsx'
import { ShareLinks } from '../link/share-links.tsx'
import { useCanWrite } from '../role.ts'
import { Confirm } from '../ui/dialog.tsx'
import { MoreActions } from '../ui/more-actions.tsx'
import { say } from '../ui/notice.tsx'
import { CoverInput, useCoverUpload } from '../upload/cover-upload.tsx'
import { EditEpisode } from './episode-form.tsx'
import { MoveTrack } from './move-track.tsx'
import { EditTrack } from './track-form.tsx'

/** Buttons that share a track, and a menu of those that change it. */
export function TrackActions({ track }: { track: Track }) {
  const [open, setOpen] = useState<'edit' | 'episode' | 'move' | 'delete' | null>(null)
  const [, navigate] = useLocation()
  const coverInput = useRef<HTMLInputElement>(null)
  const cover = useCoverUpload('track', track.id)
  const undo = useUndo()
  const { mutate, isPending, error } = useChange(DeleteTrackDocument)
  const close = () => setOpen(null)
  if (!useCanWrite()) return null
  const remove = () =>
    mutate(
      { id: track.id },
      {
        onSuccess: () => {
          navigate(track.collection ? `/collection/${track.collection.id}` : '/collections', { replace: true })
          say(t('library.trackDeleted', { title: track.title }), undo('track', track.id, track.title))
        },
      },
    )
  return (
    <>
      {track.status !== 'INIT_ERROR' && (
        <>
          <ShareLinks trackId={track.id} />
          <CopyLink kind="plain" trackId={track.id} />
        </>
      )}
      <MoreActions>
        <MenuItem onAction={() => setOpen('edit')}>{t('studio.edit')}</MenuItem>
        <MenuItem onAction={() => coverInput.current?.click()}>{t('upload.cover')}</MenuItem>
        <MenuItem onAction={() => navigate(`/track/${track.id}/files`)}>{t('recording.replace')}</MenuItem>
        <MenuItem onAction={() => setOpen('episode')}>{t('library.episode')}</MenuItem>
        <MenuItem onAction={() => setOpen('move')}>{t('library.move')}</MenuItem>
        <MenuItem className="danger" onAction={() => setOpen('delete')}>
          {t('studio.delete')}
        </MenuItem>
      </MoreActions>
      <CoverInput cover={cover} input={coverInput} />
      <EditTrack track={track} isOpen={open === 'edit'} onClose={close} />
      <EditEpisode track={track} isOpen={open === 'episode'} onClose={close} />
      <MoveTrack track={track} isOpen={open === 'move'} onClose={close} />
      <Confirm
        title={t('library.deleteTrack')}
        text={t('library.deleteTrackText', { title: track.title })}
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
