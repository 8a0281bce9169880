import { Upload } from 'lucide'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { Icon } from '../design/icon.tsx'
import { formatNumber, t } from '../strings.ts'
import {
  type ChosenFile,
  chooseListed,
  type FileChoice,
  findCover,
  MAX_FILES,
  readDrop,
  recordingTypes,
} from './files.ts'

interface Props {
  onFiles: (files: ChosenFile[]) => void
  /** Takes one picture of a choice as a cover. Without it pictures are skipped. */
  onCover?: (picture: ChosenFile) => void
  /** Whether files may be dropped anywhere in the window. Defaults to false */
  isWholeWindow?: boolean
  /** Shows only a button until files are above the window. Defaults to false */
  isButton?: boolean
}

/** Takes files and folders by drag and drop, and files by a button. Names those that are not audio. */
export function DropZone({ onFiles, onCover, isWholeWindow = false, isButton = false }: Props) {
  const zone = useRef<HTMLElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const title = useId()
  const [isReading, setReading] = useState(false)
  const [choice, setChoice] = useState<FileChoice | null>(null)

  function take(chosen: FileChoice) {
    setReading(false)
    setChoice(chosen)
    if (chosen.files.length > 0) onFiles(chosen.files)
    const picture = onCover && findCover(chosen.pictures)
    if (picture) onCover(picture)
  }
  const isOver = useDrop(
    (target) => isWholeWindow || (target instanceof Node && zone.current?.contains(target) === true),
    (data) => {
      setReading(true)
      void readDrop(data).then(take)
    },
  )
  return (
    <section
      ref={zone}
      className={`drop${isOver ? ' over' : ''}${isButton ? ' button-only' : ''}${isWholeWindow ? ' whole-window' : ''}`}
      aria-labelledby={title}
    >
      {!isButton && <Icon of={Upload} />}
      <p id={title} className="drop-title">
        {t(isReading ? 'upload.reading' : 'upload.drop')}
      </p>
      <button type="button" className="button" onClick={() => input.current?.click()}>
        {t(isButton ? 'upload.upload' : 'upload.choose')}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={onCover ? `${recordingTypes},image/*` : recordingTypes}
        onChange={({ target }) => {
          take(chooseListed(target.files ?? []))
          // The same file may be chosen again.
          target.value = ''
        }}
      />
      <div role="status">{choice && <Remarks choice={choice} takesCover={Boolean(onCover)} />}</div>
    </section>
  )
}

const MAX_NAMES = 3

/** The first of some names, and how many more there are. */
export function formatNames(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES).join(', ')
  if (names.length <= MAX_NAMES) return first
  return t('upload.namesMore', { names: first, count: formatNumber(names.length - MAX_NAMES) })
}

/** Names the picture that becomes the cover, and what was left out. */
function Remarks({ choice, takesCover }: { choice: FileChoice; takesCover: boolean }) {
  const { pictures, isCut } = choice
  const cover = takesCover ? findCover(pictures) : null
  const otherPictures = pictures.filter((picture) => picture !== cover).map(({ name }) => name)
  const skipped = cover ? choice.skipped : [...choice.skipped, ...otherPictures]
  return (
    <>
      {cover && <p className="quiet">{t('upload.coverTaken', { name: cover.name })}</p>}
      {cover && otherPictures.length > 0 && (
        <p className="quiet">{t('upload.coversLeft', { names: formatNames(otherPictures) })}</p>
      )}
      {skipped.length > 0 && <p className="quiet">{t('upload.skipped', { names: formatNames(skipped) })}</p>}
      {isCut && <p className="quiet">{t('upload.cut', { count: formatNumber(MAX_FILES) })}</p>}
    </>
  )
}

/**
 * Takes drops of files. Elsewhere in the window a drop has no effect: it would open the file instead of the page.
 * @returns whether files are above the window
 */
export function useDrop(
  isMeant: (target: EventTarget | null) => boolean,
  onDrop: (data: DataTransfer) => void,
): boolean {
  const [isOver, setOver] = useState(false)
  const take = useEffectEvent((event: DragEvent) => {
    if (event.dataTransfer && isMeant(event.target)) onDrop(event.dataTransfer)
  })
  useEffect(() => {
    const stop = new AbortController()
    const onFiles = (name: 'dragover' | 'drop', handle: (event: DragEvent) => void) =>
      addEventListener(
        name,
        (event) => {
          if (!event.dataTransfer?.types.includes('Files')) return
          event.preventDefault()
          handle(event)
        },
        stop,
      )
    onFiles('dragover', () => setOver(true))
    onFiles('drop', (event) => {
      setOver(false)
      take(event)
    })
    // Without a related target the pointer has left the window.
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget || setOver(false), stop)
    return () => stop.abort()
  }, [])
  return isOver
}
