import { useState } from 'react'
import type { Key, Selection } from 'react-aria-components'
import { t } from '../../../strings.ts'
import type { TrackRowFragment as Track } from '../../generated/operations.ts'
import { say } from '../../ui/notice.tsx'

/** Maximum number of tracks of one action: each is an operation of its own. */
export const MAX_SELECTED = 500

export type TrackSelection = ReturnType<typeof useSelection>

/** Selected tracks among those that are loaded, in the order of the list. */
export function useSelection(nodes: readonly Track[]) {
  // Sets of react-aria stay as they are: they have the row at which a range begins.
  const [selectedKeys, setKeys] = useState<Set<Key>>(new Set())
  const tracks = nodes.filter(({ id }) => selectedKeys.has(id))

  function onSelectionChange(selection: Selection) {
    const keys = selection === 'all' ? new Set<Key>(nodes.map(({ id }) => id)) : selection
    if (keys.size > MAX_SELECTED) say(t('selection.maximum', { count: MAX_SELECTED }))
    setKeys(keys.size > MAX_SELECTED ? new Set([...keys].slice(0, MAX_SELECTED)) : keys)
  }

  return {
    tracks,
    selectedKeys,
    onSelectionChange,
    isWhole: tracks.length === Math.min(nodes.length, MAX_SELECTED),
    selectAll: () => onSelectionChange('all'),
    clear: () => setKeys(new Set()),
    /** Takes tracks out of the selection. */
    remove: (removed: readonly Track[]) => {
      const ids = new Set<Key>(removed.map(({ id }) => id))
      setKeys((before) => new Set([...before].filter((key) => !ids.has(key))))
    },
  }
}
