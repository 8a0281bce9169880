import { AudioLines, Disc3, History, type IconNode, Link2, LogOut, Plus, Search, Upload } from 'lucide'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { useLocation } from 'wouter'
import { Icon } from '../../design/icon.tsx'
import { useSessionStore } from '../../session/use-session.ts'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { areas } from '../areas.tsx'
import { PaletteRecordsDocument, type PaletteRecordsQuery } from '../generated/operations.ts'
import { useLastSession } from '../last-session.ts'
import { NewCollection } from '../library/new-collection.tsx'
import { NewLink } from '../link/new-link.tsx'
import { useCanWrite } from '../role.ts'
import { addRecent, readRecent } from './recent.ts'

interface Item {
  id: string
  text: string
  detail?: string | null
  icon: IconNode
  run: () => void
}

interface Group {
  id: string
  title: string
  items: Item[]
}

const PAUSE_MS = 150
/** Maximum of the service. */
const MAX_LENGTH = 200

/** The text after a pause, so that not every key searches. */
function usePausedText(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

/** Records that match a text. Null while they are read: Enter must not open one of the text before. */
function useRecords(text: string): PaletteRecordsQuery | null {
  const search = usePausedText(text)
  const { data } = useData(PaletteRecordsDocument, { search: search || undefined })
  return search === text.trim() ? (data ?? null) : null
}

/** Finds pages, records and actions while a person types. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [form, setForm] = useState<'collection' | 'link' | null>(null)
  const [, navigate] = useLocation()
  const { groups, isReading } = useGroups(text, onClose, setForm)
  if (form === 'link') return <NewLink onClose={onClose} />
  if (form === 'collection')
    return (
      <NewCollection
        isOpen
        onClose={onClose}
        onCreated={(id) => {
          navigate(`/collection/${id}`)
          onClose()
        }}
      />
    )
  return (
    <ModalOverlay isOpen onOpenChange={(isOpen) => !isOpen && onClose()} isDismissable className="overlay over-palette">
      <Modal className="modal palette">
        <Dialog className="dialog" aria-label={t('palette.title')}>
          <Combobox text={text} onType={setText} groups={groups} isReading={isReading} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

interface ComboboxProps {
  text: string
  onType: (text: string) => void
  groups: readonly Group[]
  isReading: boolean
}

/**
 * A field whose keys move through the items below it (ARIA Authoring Practices, combobox with a listbox). The parts of
 * react-aria that do so are no part of the first load, and would become one.
 */
function Combobox({ text, onType, groups, isReading }: ComboboxProps) {
  const listId = useId()
  const items = groups.flatMap((group) => group.items)
  const [activeId, setActiveId] = useState<string | null>(null)
  // The first one, until a person moves to another that is still there.
  const at = Math.max(
    items.findIndex(({ id }) => id === activeId),
    0,
  )
  const active = items[at]
  const toOptionId = (id: string) => `${listId}${id}`
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 }
  const press = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = items.at(step % Math.max(items.length, 1))
      setActiveId(next?.id ?? null)
      if (next) document.getElementById(toOptionId(next.id))?.scrollIntoView({ block: 'nearest' })
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) active?.run()
  }
  return (
    <>
      <div className="palette-field">
        <Icon of={Search} />
        <input
          // The dialog is opened to type.
          // biome-ignore lint/a11y/noAutofocus: the reason is above
          autoFocus
          role="combobox"
          aria-label={t('palette.label')}
          aria-autocomplete="list"
          aria-expanded={items.length > 0}
          aria-controls={listId}
          aria-activedescendant={active && toOptionId(active.id)}
          placeholder={t('palette.label')}
          value={text}
          maxLength={MAX_LENGTH}
          spellCheck={false}
          onChange={({ target }) => {
            onType(target.value)
            setActiveId(null)
          }}
          onKeyDown={press}
        />
      </div>
      <div id={listId} role="listbox" aria-label={t('palette.title')} tabIndex={-1} className="palette-list">
        {groups.map(({ id, title, items }) => (
          <fieldset key={id} aria-label={title}>
            <span className="palette-group" aria-hidden="true">
              {title}
            </span>
            {items.map((item) => (
              <button
                key={item.id}
                type="button"
                id={toOptionId(item.id)}
                role="option"
                aria-selected={item === active}
                tabIndex={-1}
                onPointerMove={() => setActiveId(item.id)}
                onClick={item.run}
              >
                <Icon of={item.icon} />
                <span className="palette-text">{item.text}</span>
                {item.detail && <span className="quiet">{item.detail}</span>}
              </button>
            ))}
          </fieldset>
        ))}
      </div>
      {items.length === 0 && !isReading && (
        <p className="empty" role="status">
          {t('studio.nothing')}
        </p>
      )}
    </>
  )
}

/** Groups of items that match the text. Without one: the last that were opened, and everything that is no record. */
function useGroups(text: string, onClose: () => void, onForm: (form: 'collection' | 'link') => void) {
  const [, navigate] = useLocation()
  const canWrite = useCanWrite()
  const { signOut } = useSessionStore()
  const organizationId = useLastSession()?.organizationId ?? ''
  const [recent] = useState(() => readRecent(organizationId))
  const records = useRecords(text)
  const open = (path: string, name: string) => () => {
    addRecent(organizationId, { path, text: name })
    navigate(path)
    onClose()
  }
  const toItem = (path: string, name: string, icon: IconNode, detail?: string | null): Item => {
    return { id: path, text: name, detail, icon, run: open(path, name) }
  }
  const action = (id: string, name: string, icon: IconNode, run: () => void): Item => ({ id, text: name, icon, run })
  const word = text.trim().toLowerCase()
  const matching = (items: Item[]) => items.filter((item) => item.text.toLowerCase().includes(word))
  const actions = [
    action('new-collection', t('library.newCollection'), Plus, () => onForm('collection')),
    action('new-link', t('link.create'), Link2, () => onForm('link')),
    action('upload', t('upload.upload'), Upload, open('/uploads', t('studio.uploads'))),
  ]
  const signOutAction = action('sign-out', t('session.signOut'), LogOut, () => void signOut())
  const { collections, tracks } = records ?? { collections: { nodes: [] }, tracks: { nodes: [] } }
  const lastItems = recent.map(({ path, text: name }) => ({ ...toItem(path, name, History), id: `recent:${path}` }))
  // Records are the last: they come later, and must not push away what a person is about to choose.
  const groups: Group[] = [
    { id: 'recent', title: t('palette.recent'), items: word ? [] : lastItems },
    { id: 'actions', title: t('palette.actions'), items: matching([...(canWrite ? actions : []), signOutAction]) },
    {
      id: 'pages',
      title: t('palette.pages'),
      items: matching(areas.map(({ path, name, icon }) => toItem(path, t(name), icon))),
    },
    {
      id: 'collections',
      title: t('studio.collections'),
      items: word
        ? collections.nodes.map(({ id, title, playerSubtitle }) =>
            toItem(`/collection/${id}`, title, Disc3, playerSubtitle),
          )
        : [],
    },
    {
      id: 'tracks',
      title: t('studio.tracks'),
      items: word ? tracks.nodes.map(({ id, title, artist }) => toItem(`/track/${id}`, title, AudioLines, artist)) : [],
    },
  ]
  return { groups: groups.filter(({ items }) => items.length > 0), isReading: records === null }
}
