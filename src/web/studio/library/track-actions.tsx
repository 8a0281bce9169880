import { useState } from 'react'
import { useLocation } from 'wouter'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { useUndo } from '../deleted/use-restore.ts'
import { DeleteTrackDocument, type TrackDetailFragment as Track } from '../generated/operations.ts'
import { CopyLink } from '../link/copy-link.tsx'
import { ShareLinks } from '../link/share-links.tsx'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'
import { CoverUpload } from '../upload/cover-upload.tsx'
import { EditEpisode } from './episode-form.tsx'
import { MoveTrack } from './move-track.tsx'
import { EditTrack } from './track-form.tsx'
import { findTitle } from './track-title.ts'

/** Buttons that change a track. */
export function TrackActions({ track }: { track: Track }) {
  const [open, setOpen] = useState<'edit' | 'episode' | 'move' | 'delete' | null>(null)
  const [, navigate] = useLocation()
  const undo = useUndo()
  const { mutate, isPending, error } = useChange(DeleteTrackDocument)
  const close = () => setOpen(null)
  if (!useCanWrite()) return null
  const remove = () =>
    mutate(
      { id: track.id },
      {
        onSuccess: () => {
          navigate(track.collection ? `/collection/${track.collection.id}` : '/', { replace: true })
          say(t('library.trackDeleted', { title: findTitle(track) }), undo('track', track.id, findTitle(track)))
        },
      },
    )
  return (
    <div className="toolbar">
      <CopyLink trackId={track.id} />
      <ShareLinks trackId={track.id} />
      <Button onPress={() => setOpen('edit')}>{t('studio.edit')}</Button>
      <Button onPress={() => setOpen('episode')}>{t('library.episode')}</Button>
      <Button onPress={() => setOpen('move')}>{t('library.move')}</Button>
      <CoverUpload owner="track" id={track.id} />
      <Button kind="danger" onPress={() => setOpen('delete')}>
        {t('studio.delete')}
      </Button>
      <EditTrack track={track} isOpen={open === 'edit'} onClose={close} />
      <EditEpisode track={track} isOpen={open === 'episode'} onClose={close} />
      <MoveTrack track={track} isOpen={open === 'move'} onClose={close} />
      <Confirm
        title={t('library.deleteTrack')}
        text={t('library.deleteTrackText', { title: findTitle(track) })}
        label={t('studio.delete')}
        isOpen={open === 'delete'}
        isBusy={isPending}
        error={error}
        onConfirm={remove}
        onClose={close}
      />
    </div>
  )
}
