import { t } from '../../strings.ts'
import { useChange, usePages } from '../api.ts'
import { RebuildStaleFilesDocument, StaleTracksDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { say } from '../ui/notice.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Status } from '../ui/track-status.tsx'

const ROW_PX = 84

/** Tracks whose files were made with earlier settings of their variants. */
export function Stale() {
  const canWrite = useCanWrite()
  const pages = usePages(StaleTracksDocument, {}, (data) => data.tracks)
  return (
    <>
      <p className="quiet">{t('variant.staleHint')}</p>
      <PagedList
        label={t('variant.stale')}
        pages={pages}
        textOf={({ title }) => title}
        empty={t('variant.noStale')}
        rowHeight={ROW_PX}
      >
        {({ id, title, status, progressPercent, collection }) => (
          <>
            <span className="variant-row">
              <strong>{title}</strong>
              <small>{collection?.title}</small>
              <Status status={status} progressPercent={progressPercent ?? null} />
            </span>
            {canWrite && <Rebuild id={id} name={title} />}
          </>
        )}
      </PagedList>
    </>
  )
}

function Rebuild({ id, name }: { id: string; name: string }) {
  const rebuild = useChange(RebuildStaleFilesDocument)
  const start = () =>
    rebuild.mutate(
      { id },
      {
        onSuccess: () => say(t('variant.rebuilding', { name })),
        onError: (error) => say(t('variant.rebuildFailed', { name, reason: error.message })),
      },
    )
  return (
    <Button aria-label={t('variant.rebuildNamed', { name })} isPending={rebuild.isPending} onPress={start}>
      {t('variant.rebuild')}
    </Button>
  )
}
