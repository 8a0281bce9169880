import { type AlbumNames, suggestAlbum } from '../../upload/album.ts'
import type { ChosenFile } from '../../upload/files.ts'

/** Files whose tags are read. Those of an album agree. */
const MAX_READ = 20
/** Time after which the names of folders are used. */
const READ_MS = 2000

/**
 * Suggests the names of an album from the tags of the files, or else from their folder.
 * @param readMs time for reading in milliseconds, which tests change
 */
export async function readAlbum(files: readonly ChosenFile[], readMs = READ_MS): Promise<AlbumNames> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), readMs)
  })
  const names = await Promise.race([readTags(files.slice(0, MAX_READ)).catch(() => null), late])
  clearTimeout(timer)
  return names ?? suggestAlbum(files)
}

/** @returns null where a file has no name of an album, or another one than the first */
async function readTags(files: readonly ChosenFile[]): Promise<AlbumNames | null> {
  // The parsers are loaded for a drop only: 120 kB and that of each format.
  const { parseBlob } = await import('music-metadata')
  let names: AlbumNames | null = null
  for (const { file } of files) {
    const { common } = await parseBlob(file, { duration: false, skipCovers: true, skipPostHeaders: true })
    const title = decodeTwice(common.album ?? '').trim()
    if (!title || (names && names.title !== title)) return null
    const artist = decodeTwice(common.albumartist ?? common.artist ?? '').trim()
    // Of a compilation, no artist is that of the album.
    names = { title, artist: names && names.artist !== artist ? '' : artist }
  }
  return names
}

/** Decodes UTF-8 that was read as Latin-1: WAV files have no statement of their encoding, and the parser takes the old one. */
function decodeTwice(text: string): string {
  if (/[^\t\n -\u00ff]/.test(text)) return text
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return text
  }
}
