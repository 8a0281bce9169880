import { useState } from 'react'
import { formatNumber, t } from '../../../strings.ts'
import { useRefresh, useRun } from '../../api.ts'
import { readText } from '../../form-values.ts'
import {
  CollectionOrderDocument,
  MoveTrackDocument,
  type OrderedTrackFragment as Track,
} from '../../generated/operations.ts'
import { Dialog, EditForm } from '../../ui/dialog.tsx'
import { Choice } from '../../ui/field.tsx'
import { say } from '../../ui/notice.tsx'
import { planMoves } from './plan-moves.ts'
import { isTrackSort, toChoices, trackSorts } from './sorts.ts'

/** Maximum number of tracks that are sorted: each is moved by an operation of its own. */
const MAX_SORTED = 500

interface Props {
  collectionId: string
  /** Reads the shown list again. */
  refetch: () => unknown
  onClose: () => void
}

/** Gives the tracks of a collection another order, which listeners see too. */
export function SortTracks({ collectionId, refetch, onClose }: Props) {
  const run = useRun()
  const refresh = useRefresh()
  const [moves, setMoves] = useState<{ finished: number; count: number } | null>(null)
  const [error, setError] = useState<Error | null>(null)

  /** @throws Error for more tracks than the maximum; ApiError */
  async function read(): Promise<Track[]> {
    const tracks: Track[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const { collection } = await run(CollectionOrderDocument, { id: collectionId, after })
      if (!collection) break
      tracks.push(...collection.tracks.nodes)
      if (tracks.length > MAX_SORTED) throw new Error(t('order.maximum', { count: formatNumber(MAX_SORTED) }))
      after = collection.tracks.pageInfo.hasNextPage ? (collection.tracks.pageInfo.endCursor ?? null) : null
    }
    return tracks
  }

  async function move(from: readonly string[], to: readonly string[]) {
    const planned = planMoves(from, to)
    try {
      for (const [finished, { id, place: input }] of planned.entries()) {
        setMoves({ finished, count: planned.length })
        await run(MoveTrackDocument, { id, input })
      }
    } finally {
      // A long list is not read again by itself.
      await Promise.all([refetch(), refresh()])
    }
  }

  async function sort(fields: FormData) {
    const name = readText(fields, 'sort')
    if (!isTrackSort(name)) return
    setError(null)
    setMoves({ finished: 0, count: 0 })
    try {
      const tracks = await read()
      const ids = tracks.map(({ id }) => id)
      const sortedIds = tracks.toSorted(trackSorts[name].compare).map(({ id }) => id)
      await move(ids, sortedIds)
      const undo = () =>
        void move(sortedIds, ids).catch(({ message }: Error) => say(t('order.notRestored', { reason: message })))
      say(t('order.sorted'), { label: t('deleted.undo'), run: undo })
      onClose()
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    } finally {
      setMoves(null)
    }
  }

  return (
    <Dialog title={t('order.sortTracks')} isOpen isKept={moves !== null} onClose={onClose}>
      <EditForm
        onSubmit={(fields) => void sort(fields)}
        onCancel={moves ? undefined : onClose}
        isBusy={moves !== null}
        error={error}
        label={t('order.sort')}
      >
        <p>{t('order.sortText')}</p>
        <Choice label={t('order.by')} name="sort" defaultValue="trackNumber" choices={toChoices(trackSorts)} />
        {moves && moves.count > 0 && (
          <p className="quiet" role="status">
            {t('selection.progress', { done: formatNumber(moves.finished), count: formatNumber(moves.count) })}
          </p>
        )}
      </EditForm>
    </Dialog>
  )
}
