import { LayoutGrid, List } from 'lucide'
import { useState } from 'react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'
import { t } from '../../strings.ts'

/** How collections are shown. */
export type CollectionView = 'covers' | 'list'

const KEY = 'tonearm.collections'

/** Returns the way in which collections are shown, which this browser remembers, and a function that changes it. */
export function useCollectionView(): [CollectionView, (view: CollectionView) => void] {
  const [view, setView] = useState<CollectionView>(() => (localStorage.getItem(KEY) === 'list' ? 'list' : 'covers'))
  const choose = (next: CollectionView) => {
    localStorage.setItem(KEY, next)
    setView(next)
  }
  return [view, choose]
}

interface Props {
  view: CollectionView
  onChoose: (view: CollectionView) => void
}

/** Two buttons: covers or a list. */
export const CollectionViewChoice = ({ view, onChoose }: Props) => (
  <ToggleButtonGroup
    className="views"
    aria-label={t('library.view')}
    selectionMode="single"
    disallowEmptySelection
    selectedKeys={[view]}
    onSelectionChange={(keys) => onChoose(keys.has('list') ? 'list' : 'covers')}
  >
    <ToggleButton id="covers" aria-label={t('library.asCovers')}>
      <Icon of={LayoutGrid} />
    </ToggleButton>
    <ToggleButton id="list" aria-label={t('library.asList')}>
      <Icon of={List} />
    </ToggleButton>
  </ToggleButtonGroup>
)
