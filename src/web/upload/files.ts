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
  /** Names of files that are not audio, are empty or cannot be read. */
  skipped: string[]
  /** Whether there are more files than the limits allow. */
  isCut: boolean
}

/** Extensions of recordings whose type browsers do not recognize. */
const extensions =
  /\.(aac|ac3|aif|aifc|aiff|amr|ape|au|caf|dff|dsf|dts|eac3|flac|m4a|m4b|mka|mp2|mp3|oga|ogg|opus|ra|spx|tta|w64|wav|weba|wma|wv)$/i
/** Playlists and scores have an audio type, too. */
const soundless = /mpegurl|scpls|midi/

/** Hidden files, such as `.DS_Store`, belong to the file system. */
const isHidden = ({ name }: Pick<File, 'name'>) => name.startsWith('.')

/** Whether a file may be a recording. Recorders also write sound as video. */
export const isRecording = ({ name, type }: Pick<File, 'name' | 'type'>) =>
  !isHidden({ name }) && ((/^(audio|video)\//.test(type) && !soundless.test(type)) || extensions.test(name))

/** Leaves out the files that cannot be recordings. */
export function choose(chosenFiles: readonly ChosenFile[], unreadable: string[] = [], isCut = false): FileChoice {
  const isUsable = ({ file }: ChosenFile) => isRecording(file) && file.size > 0
  const files = chosenFiles.filter(isUsable)
  const others = chosenFiles.filter((chosen) => !isUsable(chosen) && !isHidden(chosen.file))
  return {
    files: files.slice(0, MAX_FILES),
    skipped: [...others.map(({ name }) => name), ...unreadable],
    isCut: isCut || files.length > MAX_FILES,
  }
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

/** Entries of a folder by name, `2` before `10`. A reader returns some at a time, and no more at the end. */
async function readEntries(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0 || all.length > MAX_ENTRIES) break
    all.push(...some)
  }
  return all.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
}
