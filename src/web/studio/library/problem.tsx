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

interface RetryProps {
  track: Pick<Track, 'id' | 'uploadCompletedAt'> & { files: readonly FailedFile[] }
}

/** The button that repeats the work for a failed track. Nothing for viewers, and without a recording. */
export function RetryTrack({ track }: RetryProps) {
  const { mutate, isPending, error } = useChange(RebuildTrackDocument)
  if (!useCanWrite() || !track.uploadCompletedAt) return null
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

/** Why a track is not ready, and a button that repeats the work. */
export function Problem({ track }: { track: Track }) {
  const isFailed = failedStatuses.includes(track.status)
  const reason = formatReason(track)
  if (!isFailed && !reason) return null
  return (
    <section className={isFailed ? 'failure' : 'remark'} aria-label={t('library.whyNotReady')}>
      <p>{reason ?? t(track.uploadCompletedAt ? 'library.filesFailed' : 'library.uploadAgain')}</p>
      {isFailed && <RetryTrack track={track} />}
    </section>
  )
}
