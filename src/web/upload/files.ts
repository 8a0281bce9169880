/** Files of one choice or drop. */
export const MAX_FILES = 10_000
/** Entries of dropped folders that are looked at, with files of other kinds. */
const MAX_ENTRIES = 50_000

export interface ChosenFile {
  file: File
  /** With the folders that it was dropped in. */
  name: string
}

export interface FileChoice {
  files: ChosenFile[]
  pictures: ChosenFile[]
  /** Names of other files, and of those that are empty or cannot be read. */
  skipped: string[]
  /** Whether there are more files than the limits allow. */
  isCut: boolean
}

/** Extensions of recordings whose type browsers do not recognize. */
const extensions =
  /\.(aac|ac3|aif|aifc|aiff|amr|ape|au|caf|dff|dsf|dts|eac3|flac|m4a|m4b|mka|mp2|mp3|oga|ogg|opus|ra|spx|tta|w64|wav|weba|wma|wv)$/i
/** The same for the field of a file. */
export const recordingTypes = 'audio/*,video/*,.aif,.aiff,.amr,.ape,.caf,.flac,.mka,.opus,.wv'
/** Playlists and scores have an audio type, too. */
const soundless = /mpegurl|scpls|midi/

/** Hidden files, such as `.DS_Store`, belong to the file system. */
const isHidden = ({ name }: Pick<File, 'name'>) => name.startsWith('.')

/** Whether a file may be a recording. Recorders also write sound as video. */
export const isRecording = ({ name, type }: Pick<File, 'name' | 'type'>) =>
  !isHidden({ name }) && ((/^(audio|video)\//.test(type) && !soundless.test(type)) || extensions.test(name))

/** Whether a file may be a cover: of a type that the service takes. */
export const isPicture = ({ name, type }: Pick<File, 'name' | 'type'>) =>
  !isHidden({ name }) && (/^image\/(gif|jpeg|png|webp)$/.test(type) || /\.(gif|jpe?g|png|webp)$/i.test(name))

/** `2` before `10`. */
const byName = new Intl.Collator(undefined, { numeric: true })

/** Sorts files: recordings, pictures, and others. Each by name, because the order of a drop or a choice is accidental. */
export function choose(files: readonly ChosenFile[], unreadable: string[] = [], isCut = false): FileChoice {
  const isUsable = (isOfKind: typeof isRecording) => (chosen: ChosenFile) =>
    isOfKind(chosen.file) && chosen.file.size > 0
  const chosenFiles = files.toSorted((a, b) => byName.compare(a.name, b.name))
  const recordings = chosenFiles.filter(isUsable(isRecording))
  const pictures = chosenFiles.filter(isUsable(isPicture))
  const usableFiles = new Set([...recordings, ...pictures])
  const others = chosenFiles.filter((chosen) => !usableFiles.has(chosen) && !isHidden(chosen.file))
  return {
    files: recordings.slice(0, MAX_FILES),
    pictures,
    skipped: [...others.map(({ name }) => name), ...unreadable],
    isCut: isCut || recordings.length > MAX_FILES,
  }
}

/** Names of covers, from the surest. A back has the word of a cover, too. */
const coverNames = [/^(album[ _-]?art|artwork|cover|folder|front)$/i, /^(?!.*back).*(art|cover|folder|front)/i]

/** Returns the picture that looks most like the cover of an album: by its name, then in the outermost folder. */
export function findCover(pictures: readonly ChosenFile[]): ChosenFile | null {
  const rank = ({ file }: ChosenFile) => {
    const at = coverNames.findIndex((pattern) => pattern.test(file.name.replace(/\.\w+$/, '')))
    return at < 0 ? coverNames.length : at
  }
  const depth = ({ name }: ChosenFile) => name.split('/').length
  return pictures.toSorted((a, b) => rank(a) - rank(b) || depth(a) - depth(b))[0] ?? null
}

/** The files of an input. */
export const chooseListed = (list: Iterable<File>): FileChoice =>
  choose([...list].map((file) => ({ file, name: file.name })))

/** Reads dropped files, and those in dropped folders. The items of a drop exist only until its event ends. */
export function readDrop({ items }: Pick<DataTransfer, 'items'>): Promise<FileChoice> {
  const dropped = [...items].filter(({ kind }) => kind === 'file')
  return walk(dropped.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null))
}

async function walk(entries: FileSystemEntry[]): Promise<FileChoice> {
  const [files, unreadable]: [ChosenFile[], string[]] = [[], []]
  // The next entry is the last one.
  const open = entries.toReversed()
  let seen = 0
  for (let entry = open.pop(); entry && seen < MAX_ENTRIES; entry = open.pop(), seen++) {
    const name = entry.fullPath.replace(/^\//, '')
    try {
      if (isFolder(entry)) open.push(...(await readEntries(entry)).toReversed())
      else files.push({ file: await readFile(entry as FileSystemFileEntry), name })
    } catch {
      unreadable.push(name)
    }
  }
  return choose(files, unreadable, seen === MAX_ENTRIES)
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const readFile = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

/** Entries of a folder. A reader returns some at a time, and no more at the end. */
async function readEntries(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0 || all.length > MAX_ENTRIES) break
    all.push(...some)
  }
  return all
}
