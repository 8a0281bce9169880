import { useState } from 'react'
import { t } from '../../strings.ts'
import type { AlbumNames } from '../../upload/album.ts'
import { formatNames, useDrop } from '../../upload/drop-zone.tsx'
import { type FileChoice, findCover, readDrop } from '../../upload/files.ts'
import { useChange, useData } from '../api.ts'
import { CollectionChoicesDocument, CreateCollectionDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { CollectionChoice } from '../ui/collection-choice.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Choice, TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { readAlbum } from './album-tags.ts'
import { useUploads } from './uploads-context.tsx'

/** Whether the page has a zone that takes a drop at this place itself. */
const isTaken = (target: EventTarget | null) =>
  document.querySelector('.drop.whole-window') !== null ||
  (target instanceof Element && target.closest('.drop') !== null)

/** Files, and the suggested names of their collection. */
type AlbumChoice = FileChoice & { album: AlbumNames }

/**
 * Takes files that are dropped on a page without a collection: continues interrupted uploads, and asks for the collection
 * of the others.
 */
export function DropAnywhere() {
  const canWrite = useCanWrite()
  const { resume } = useUploads()
  const [choice, setChoice] = useState<AlbumChoice | null>(null)
  async function take(dropped: FileChoice) {
    const files = resume(dropped.files)
    if (files.length > 0) setChoice({ ...dropped, files, album: await readAlbum(files) })
    else if (dropped.files.length === 0) say(t('upload.noRecordings'))
  }
  const isOver = useDrop(
    (target) => canWrite && choice === null && !isTaken(target),
    (data) => void readDrop(data).then(take),
  )
  const close = () => setChoice(null)
  return (
    <>
      {isOver && canWrite && !isTaken(null) && (
        <div className="drop button-only over" aria-hidden="true">
          <p className="drop-title">{t('upload.drop')}</p>
        </div>
      )}
      <Dialog title={t('upload.toTitle')} isOpen={choice !== null} onClose={close} isKept>
        {choice && <TargetForm choice={choice} onClose={close} />}
      </Dialog>
    </>
  )
}

const [NEW, OTHER] = ['new', 'other'] as const
/** Collections that are offered without a search. */
const MAX_OFFERED = 5

function TargetForm({ choice, onClose }: { choice: AlbumChoice; onClose: () => void }) {
  const { album } = choice
  const { data, isPending: isReading } = useData(CollectionChoicesDocument, { search: album.title || null })
  const { add, addCover } = useUploads()
  const { mutate, isPending, error } = useChange(CreateCollectionDocument)
  const [chosen, setChosen] = useState<string | null>(null)
  if (isReading) return null
  const offered = data?.collections.nodes.slice(0, MAX_OFFERED) ?? []
  const namesake = offered.find(({ title }) => title.toLowerCase() === album.title.toLowerCase())
  const target = chosen ?? namesake?.id ?? NEW
  const upload = (collectionId: string) => {
    add(collectionId, choice.files)
    const picture = findCover(choice.pictures)
    if (picture) addCover(collectionId, picture)
    onClose()
  }
  function send(fields: FormData) {
    const existingId = target === OTHER ? String(fields.get('collectionId') ?? '') : target
    if (target !== NEW) return existingId && upload(existingId)
    const input = { title: String(fields.get('title')), playerSubtitle: String(fields.get('playerSubtitle')) || null }
    mutate({ input }, { onSuccess: ({ createCollection }) => upload(createCollection.collection.id) })
  }
  const choices = [
    { id: NEW, text: t('library.newCollection') },
    ...offered.map(({ id, title }) => ({ id, text: title })),
    { id: OTHER, text: t('upload.toOther') },
  ]
  const names = formatNames(choice.files.map(({ name }) => name))
  return (
    <EditForm onSubmit={send} onCancel={onClose} isBusy={isPending} error={error} label={t('upload.upload')}>
      <p className="quiet">{names}</p>
      <Choice label={t('upload.to')} name="target" choices={choices} value={target} onChange={setChosen} />
      {target === NEW && (
        <>
          <TextInput label={t('library.title')} name="title" defaultValue={album.title} isRequired />
          <TextInput
            label={t('library.subtitle')}
            name="playerSubtitle"
            defaultValue={album.artist}
            hint={t('library.subtitleHint')}
          />
        </>
      )}
      {target === OTHER && <CollectionChoice hint={t('upload.search')} isRequired />}
    </EditForm>
  )
}
