import { formatBytes, type TextName, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import {
  RebuildTrackDocument,
  type TrackDetailFragment as Track,
  type TrackFileRowFragment,
} from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'

const states: Record<TrackFileRowFragment['state'], TextName> = {
  DONE: 'library.done',
  FAILED: 'library.error',
  PROCESSING: 'library.processing',
  QUEUED: 'library.queued',
}

/** The file of each variant. */
export function Files({ track }: { track: Track }) {
  const { mutate, isPending, error } = useChange(RebuildTrackDocument)
  const canRebuild = useCanWrite() && track.progressPercent === null && track.uploadCompletedAt !== null
  const rebuild = (variantIds?: string[]) => mutate({ id: track.id, variantIds })
  return (
    <section>
      <h2>{t('library.files')}</h2>
      {track.files.length === 0 && <p className="quiet">{t('library.noFiles')}</p>}
      <ul className="entries" aria-label={t('library.files')}>
        {track.files.map((file) => (
          <li key={file.id}>
            <strong>{file.variant.index}</strong>
            <FileState file={file} />
            <span className="quiet">{file.size !== null && formatBytes(file.size)}</span>
            {file.url && <a href={file.url}>{t('library.openFile')}</a>}
            {canRebuild && (file.isStale || file.state === 'FAILED') && (
              <Button onPress={() => rebuild([file.variant.id])} isPending={isPending}>
                {t(file.isStale ? 'library.rebuild' : 'studio.retry')}
              </Button>
            )}
            {file.statusText && <p>{file.statusText}</p>}
          </li>
        ))}
      </ul>
      {canRebuild && (
        <div className="actions">
          <Button onPress={() => rebuild()} isPending={isPending}>
            {t('library.rebuildAll')}
          </Button>
        </div>
      )}
      <Refusal error={error} />
    </section>
  )
}

function FileState({ file: { state, isStale } }: { file: TrackFileRowFragment }) {
  const kind = state === 'FAILED' ? 'bad' : state === 'DONE' && !isStale ? 'good' : 'busy'
  return <span className={`status ${kind}`}>{t(state === 'DONE' && isStale ? 'library.stale' : states[state])}</span>
}
