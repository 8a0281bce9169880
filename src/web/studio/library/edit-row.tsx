import { Check, Pencil, X } from 'lucide'
import {
  createContext,
  type FormEvent,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { Dialog, FieldError, Input, Popover, TextField } from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'
import { formatError } from '../../session/api.ts'
import { t } from '../../strings.ts'
import { useRefresh, useRun } from '../api.ts'
import { type TrackRowFragment as Track, UpdateTrackDocument, type UpdateTrackInput } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { say } from '../ui/notice.tsx'
import { changedNumbers, changedTexts } from './changes.tsx'

/** Begins to edit the track of a row. Null for a person who may not. */
const EditRowContext = createContext<((row: Element) => void) | null>(null)

interface Props {
  pages: { nodes: readonly Track[]; replace: (id: string, track: Track) => void }
  canWrite: boolean
  children: ReactNode
}

/** Lets a person edit number, title and artist in the place of a row: by F2, or by the button of the row. */
export function EditRows({ pages, canWrite, children }: Props) {
  const run = useRun()
  const refresh = useRefresh()
  const row = useRef<Element>(null)
  const [track, setTrack] = useState<Track | null>(null)
  const edit = (element: Element) => {
    row.current = element
    setTrack(pages.nodes.find(({ id }) => id === element.getAttribute('data-key')) ?? null)
  }
  const editByKey = useEffectEvent(({ key, target }: KeyboardEvent) => {
    const focusedRow = key === 'F2' && canWrite && target instanceof Element && target.closest('.rows [data-key]')
    if (focusedRow) edit(focusedRow)
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => editByKey(event)
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])

  /** Shows the change at once, and takes it back when the service refuses it. */
  async function save(before: Track, input: UpdateTrackInput) {
    setTrack(null)
    if (Object.keys(input).length === 0) return
    const { title, ...others } = input
    pages.replace(before.id, { ...before, ...others, title: title ?? before.title })
    try {
      await run(UpdateTrackDocument, { id: before.id, input })
      await refresh()
    } catch (error) {
      pages.replace(before.id, before)
      say(t('library.rowNotSaved', { title: before.title, reason: formatError(error) }))
    }
  }

  return (
    <EditRowContext value={canWrite ? edit : null}>
      {children}
      {track && (
        <Popover
          triggerRef={row}
          isOpen
          onOpenChange={(isOpen) => !isOpen && setTrack(null)}
          placement="bottom start"
          offset={-(row.current?.clientHeight ?? 0)}
          shouldFlip={false}
          className="react-aria-Popover edit-row"
          style={{ inlineSize: row.current?.clientWidth }}
        >
          <Dialog aria-label={t('library.editRow', { title: track.title })}>
            <RowForm track={track} onSave={(input) => void save(track, input)} onCancel={() => setTrack(null)} />
          </Dialog>
        </Popover>
      )}
    </EditRowContext>
  )
}

/** The button of a row that begins to edit it. */
export function EditRowButton({ title }: { title: string }) {
  const edit = useContext(EditRowContext)
  if (!edit) return null
  return (
    <Button
      kind="bare"
      className="edit-button"
      aria-label={t('library.editRow', { title })}
      onPress={({ target }) => {
        const row = target.closest('[data-key]')
        if (row) edit(row)
      }}
    >
      <Icon of={Pencil} />
    </Button>
  )
}

interface FormProps {
  track: Track
  onSave: (input: UpdateTrackInput) => void
  onCancel: () => void
}

const MAX_NUMBER = 100_000
const MAX_LENGTH = 1024

function RowForm({ track, onSave, onCancel }: FormProps) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    onSave({
      ...changedNumbers(fields, track, ['trackNumber']),
      ...changedTexts(fields, track, ['title', 'artist']),
    })
  }
  return (
    <form onSubmit={send}>
      <TextField
        name="trackNumber"
        type="number"
        aria-label={t('library.trackNumber')}
        defaultValue={String(track.trackNumber ?? '')}
        className="field number-field"
      >
        <Input min={1} max={MAX_NUMBER} placeholder={t('library.trackNumber')} />
        <FieldError />
      </TextField>
      <TextField
        name="title"
        autoFocus
        aria-label={t('library.title')}
        defaultValue={track.title}
        maxLength={MAX_LENGTH}
        className="field"
      >
        <Input placeholder={t('library.title')} onFocus={(event) => event.currentTarget.select()} />
      </TextField>
      <TextField
        name="artist"
        aria-label={t('library.artist')}
        defaultValue={track.artist ?? ''}
        maxLength={MAX_LENGTH}
        className="field"
      >
        <Input placeholder={t('library.artist')} />
      </TextField>
      <Button type="submit" kind="bare" aria-label={t('studio.save')}>
        <Icon of={Check} />
      </Button>
      <Button kind="bare" aria-label={t('studio.cancel')} onPress={onCancel}>
        <Icon of={X} />
      </Button>
    </form>
  )
}
