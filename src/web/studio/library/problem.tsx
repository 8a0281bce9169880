import { Link } from 'wouter'
import { formatReason, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import {
  RebuildTrackDocument,
  type TrackDetailFragment as Track,
  type TrackFileRowFragment,
} from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { failedStatuses } from '../ui/track-status.tsx'

type FailedFile = Pick<TrackFileRowFragment, 'state'> & { variant: { id: string } }

interface RemedyProps {
  track: Pick<Track, 'id' | 'status' | 'uploadCompletedAt'> & { files: readonly FailedFile[] }
}

/** The way out for a failed track: another recording, or else a button that repeats the work. Nothing for viewers. */
export function Remedy({ track }: RemedyProps) {
  const { mutate, isPending, error } = useChange(RebuildTrackDocument)
  if (!useCanWrite()) return null
  if (track.status === 'INIT_ERROR') return <Link href={`/track/${track.id}/files`}>{t('recording.replace')}</Link>
  if (!track.uploadCompletedAt) return null
  const failed = track.files.filter(({ state }) => state === 'FAILED').map(({ variant }) => variant.id)
  const retry = () => mutate({ id: track.id, variantIds: failed.length > 0 ? failed : undefined })
  return (
    <>
      <Button onPress={retry} isPending={isPending}>
        {t('studio.retry')}
      </Button>
      <Refusal error={error} />
    </>
  )
}

/** Why a track is not ready, and what helps. */
export function Problem({ track }: { track: Track }) {
  const isFailed = failedStatuses.includes(track.status)
  const reason = formatReason(track)
  if (!isFailed && !reason) return null
  return (
    <section className={isFailed ? 'failure' : 'remark'} aria-label={t('library.whyNotReady')}>
      <p>{reason ?? t(track.uploadCompletedAt ? 'library.filesFailed' : 'library.uploadAgain')}</p>
      {isFailed && <Remedy track={track} />}
    </section>
  )
}
