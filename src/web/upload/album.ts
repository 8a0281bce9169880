import type { ChosenFile } from './files.ts'

export interface AlbumNames {
  /** Empty without a folder. */
  title: string
  artist: string
}

/**
 * Suggests the names of an album from the folder that all files are in: `Ada Lund/Night Bakery`, `Ada Lund - Night Bakery`
 * or `Night Bakery`.
 */
export function suggestAlbum(files: readonly ChosenFile[]): AlbumNames {
  const [first = [], ...others] = files.map(({ name }) => name.split('/').slice(0, -1))
  const isCommon = (folder: string, at: number) => others.every((folders) => folders[at] === folder)
  const differsAt = first.findIndex((folder, at) => !isCommon(folder, at))
  const [folder = '', parent = ''] = (differsAt < 0 ? first : first.slice(0, differsAt)).toReversed()
  const [artist = '', ...title] = folder.split(' - ')
  return title.length > 0
    ? { title: title.join(' - ').trim(), artist: artist.trim() }
    : { title: folder.trim(), artist: parent.trim() }
}
