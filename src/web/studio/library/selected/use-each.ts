import { useRef, useState } from 'react'
import { useRefresh } from '../../api.ts'
import { type EachOutcome, runEach } from '../../each.ts'
import type { TrackRowFragment as Track } from '../../generated/operations.ts'
import type { TrackSelection } from './use-selection.ts'

/** Props of the dialog of each action. */
export interface ActionProps {
  selection: TrackSelection
  /** The list that the tracks are selected in. */
  pages: { replace: (id: string, node: null) => void }
  onClose: () => void
}

interface Options {
  /** Maximum number of operations at the same time. Defaults to 4. */
  atOnce?: number
  /** Whether tracks stay selected. Defaults to false: those that are done leave the selection. */
  isKept?: boolean
}

interface Run {
  operate: (track: Track) => Promise<unknown>
  /** Whether the tracks leave the list. Defaults to false. */
  isRemoved?: boolean
  /** Called with the tracks that are done, unless there are none. */
  onDone: (tracks: Track[]) => void
}

export type Each = ReturnType<typeof useEach>

/** Runs an operation for each selected track. Those that fail stay selected, and the dialog stays open for them. */
export function useEach({ selection, pages, onClose }: ActionProps, { atOnce, isKept = false }: Options = {}) {
  const refresh = useRefresh()
  const [progress, setProgress] = useState<{ finished: number; count: number } | null>(null)
  const [failed, setFailed] = useState<EachOutcome<Track>['failed']>([])
  /** Tracks of the last run, without those that it did not reach. */
  const [count, setCount] = useState(0)
  const abort = useRef<AbortController | null>(null)
  const { tracks } = selection

  async function start({ operate, isRemoved = false, onDone }: Run) {
    const controller = new AbortController()
    abort.current = controller
    setFailed([])
    const show = (finished: number) => setProgress({ finished, count: tracks.length })
    show(0)
    const outcome = await runEach(tracks, operate, { atOnce, signal: controller.signal, onProgress: show })
    setProgress(null)
    setFailed(outcome.failed)
    setCount(outcome.done.length + outcome.failed.length)
    if (!isKept) selection.remove(outcome.done)
    // A long list is not read again.
    if (isRemoved) for (const { id } of outcome.done) pages.replace(id, null)
    void refresh()
    if (outcome.done.length > 0) onDone(outcome.done)
    if (outcome.done.length === tracks.length && !isKept) onClose()
  }

  return { start, stop: () => abort.current?.abort(), progress, failed, count }
}
