import { FolderInput, Link2, ListChecks, Pencil, RefreshCw, Trash2, X } from 'lucide'
import { useState } from 'react'
import { Toolbar } from 'react-aria-components'
import { Icon } from '../../../design/icon.tsx'
import { formatNumber, t } from '../../../strings.ts'
import { Button } from '../../ui/button.tsx'
import { DeleteSelected } from './delete-selected.tsx'
import { EditSelected } from './edit-selected.tsx'
import { MoveSelected } from './move-selected.tsx'
import { RebuildSelected } from './rebuild-selected.tsx'
import { ShareSelected } from './share-selected.tsx'
import type { ActionProps } from './use-each.ts'

interface Props extends Pick<ActionProps, 'selection'> {
  pages: ActionProps['pages'] & { hasMore: boolean; nodes: readonly unknown[] }
  /** The collection that the list is limited to. */
  collectionId: string | undefined
}

const actions = [
  { id: 'edit', text: 'studio.edit', icon: Pencil },
  { id: 'move', text: 'library.move', icon: FolderInput },
  { id: 'share', text: 'selection.links', icon: Link2 },
  { id: 'rebuild', text: 'library.rebuild', icon: RefreshCw },
  { id: 'delete', text: 'studio.delete', icon: Trash2 },
] as const
type ActionId = (typeof actions)[number]['id']

/** The bar with the actions on selected tracks, and the dialog of one of them. Nothing without a selected track. */
export function SelectedTracks({ selection, pages, collectionId }: Props) {
  const [open, setOpen] = useState<ActionId | null>(null)
  const props = { selection, pages, onClose: () => setOpen(null) }
  return (
    <>
      {selection.tracks.length > 0 && <Bar selection={selection} pages={pages} onChoose={setOpen} />}
      {open === 'edit' && <EditSelected {...props} />}
      {open === 'move' && <MoveSelected {...props} collectionId={collectionId} />}
      {open === 'share' && <ShareSelected {...props} collectionId={collectionId} />}
      {open === 'rebuild' && <RebuildSelected {...props} />}
      {open === 'delete' && <DeleteSelected {...props} />}
    </>
  )
}

interface BarProps extends Pick<Props, 'selection' | 'pages'> {
  onChoose: (id: ActionId) => void
}

function Bar({ selection: { tracks, isWhole, selectAll, clear }, pages, onChoose }: BarProps) {
  const keys = { onKeyDown: ({ key }: { key: string }) => key === 'Escape' && clear() }
  return (
    <Toolbar aria-label={t('selection.label')} className="selection-bar">
      <span className="count">{t('selection.count', { count: formatNumber(tracks.length) })}</span>
      {!isWhole && (
        <Button kind="bare" onPress={selectAll} {...keys}>
          <Icon of={ListChecks} />{' '}
          {t(pages.hasMore ? 'selection.allLoaded' : 'selection.all', { count: formatNumber(pages.nodes.length) })}
        </Button>
      )}
      <span className="selection-actions">
        {actions.map(({ id, text, icon }) => (
          <Button key={id} kind={id === 'delete' ? 'danger' : 'plain'} onPress={() => onChoose(id)} {...keys}>
            <Icon of={icon} /> <span>{t(text)}</span>
          </Button>
        ))}
      </span>
      <Button kind="bare" className="clear" aria-label={t('selection.clear')} onPress={clear} {...keys}>
        <Icon of={X} />
      </Button>
    </Toolbar>
  )
}
