import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { RebuildTrackDocument, type TrackDetailFragment as Track } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { failedStatuses } from '../ui/track-status.tsx'

/** Why a track is not ready, and a button that repeats the work. */
export function Problem({ track }: { track: Track }) {
  const { mutate, isPending, error } = useChange(RebuildTrackDocument)
  const canWrite = useCanWrite()
  const isFailed = failedStatuses.includes(track.status)
  if (!isFailed && !track.statusText) return null
  const failed = track.files.filter(({ state }) => state === 'FAILED').map(({ variant }) => variant.id)
  const retry = () => mutate({ id: track.id, variantIds: failed.length > 0 ? failed : undefined })
  return (
    <section className={isFailed ? 'failure' : 'remark'} aria-label={t('library.whyNotReady')}>
      <p>{track.statusText ?? t('library.filesFailed')}</p>
      {isFailed && !track.uploadCompletedAt && <p>{t('library.uploadAgain')}</p>}
      {isFailed && track.uploadCompletedAt && canWrite && (
        <Button onPress={retry} isPending={isPending}>
          {t('studio.retry')}
        </Button>
      )}
      <Refusal error={error} />
    </section>
  )
}
