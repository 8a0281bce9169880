import { Check } from 'lucide'
import { useCallback, useRef } from 'react'
import { Checkbox, type GridListProps, type Key, type Selection } from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'

/** Selected rows of a list. */
export type RowSelection = Pick<GridListProps<object>, 'selectedKeys' | 'onSelectionChange'>

/**
 * Lets a checkbox that is pressed with Shift select all rows from the one that was changed last. react-aria does so for a
 * press of a row, and reports a checkbox without its keys.
 */
export function useCheckboxRange(nodes: readonly { id: string }[], selection: RowSelection | undefined) {
  const range = useRef<{ isPressed: boolean; lastKey: Key | null }>({ isPressed: false, lastKey: null })
  const findBetween = (one: Key, other: Key) => {
    const places = [one, other].map((key) => nodes.findIndex(({ id }) => id === key))
    return places.includes(-1) ? [] : nodes.slice(Math.min(...places), Math.max(...places) + 1)
  }
  return {
    /** Stays the same, so that rows are not rendered again. */
    notePress: useCallback((isWithShift: boolean) => {
      range.current.isPressed = isWithShift
    }, []),
    onSelectionChange(keys: Selection) {
      const { isPressed, lastKey } = range.current
      const before = new Set(selection?.selectedKeys)
      const addedKey = keys === 'all' ? null : [...keys].find((key) => !before.has(key))
      range.current = { isPressed: false, lastKey: addedKey ?? null }
      // The set itself: react-aria finds the beginning of the next range in it.
      if (keys !== 'all' && isPressed && lastKey != null && addedKey != null)
        for (const { id } of findBetween(lastKey, addedKey)) keys.add(id)
      selection?.onSelectionChange?.(keys)
    },
  }
}

/** The checkbox of a row. */
export const RowCheckbox = ({ onPress }: { onPress: (isWithShift: boolean) => void }) => (
  <span className="select" onPointerDownCapture={({ shiftKey }) => onPress(shiftKey)}>
    <Checkbox slot="selection" className="check">
      <span className="box" aria-hidden="true">
        <Icon of={Check} />
      </span>
    </Checkbox>
  </span>
)
