import { createHash, randomUUID } from 'node:crypto'
import { constants, copyFile, link, mkdir, open, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { createLocalPieces } from './local-pieces.ts'
import type { Incoming, Storage } from './storage.ts'
import { writeStream } from './write-stream.ts'

/**
 * Storage in a folder of a local disk. Uploads lie in `.incoming` of the same file system until they are whole:
 * temporary file, fsync, rename, fsync of the folder.
 */
export function createLocalStorage(root: string): Storage {
  const base = resolve(root)
  const incoming = join(base, '.incoming')
  const ready = mkdir(incoming, { recursive: true })

  const pathOf = (key: string): string => {
    const path = resolve(base, key)
    if (!path.startsWith(base + sep)) throw new Error(`storage key leaves the folder: ${key}`)
    return path
  }

  const place = async (from: string, key: string): Promise<void> => {
    const path = pathOf(key)
    await mkdir(dirname(path), { recursive: true })
    await rename(from, path)
    // Renaming onto another link to the same bytes does nothing, and leaves `from` where it is.
    await rm(from, { force: true })
    await syncFolder(dirname(path))
  }

  return {
    pieces: createLocalPieces(incoming, ready, (file) => handleOf(file, place)),

    async receive(body, maxBytes) {
      await ready
      const temporary = join(incoming, randomUUID())
      try {
        return { ...(await writeAll(temporary, body, maxBytes)), ...handleOf(temporary, place) }
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },

    async put(key, localFile) {
      await ready
      const temporary = join(incoming, randomUUID())
      // Scratch and storage are usually on one disk; a link costs nothing and leaves the source alone.
      await link(localFile, temporary).catch(() => copyFile(localFile, temporary, constants.COPYFILE_FICLONE))
      await syncFile(temporary)
      await place(temporary, key)
    },

    async copy(from, to) {
      await ready
      const temporary = join(incoming, randomUUID())
      await link(pathOf(from), temporary).catch(() => copyFile(pathOf(from), temporary, constants.COPYFILE_FICLONE))
      await place(temporary, to)
    },

    async fetch(key, folder) {
      const local = join(folder, basename(key))
      await link(pathOf(key), local).catch(() => symlink(pathOf(key), local))
      return local
    },

    async read(key, start, end) {
      const file = Bun.file(pathOf(key))
      return (await file.exists()) ? file.slice(start, end) : null
    },

    async size(key) {
      const found = await stat(pathOf(key)).catch(() => null)
      return found?.isFile() ? found.size : null
    },

    async remove(keys) {
      for (const key of keys) await rm(pathOf(key), { force: true })
    },

    async removeUnfinished(before) {
      await ready
      for (const name of await readdir(incoming)) {
        const found = await stat(join(incoming, name)).catch(() => null)
        if (found && found.mtime < before) await rm(join(incoming, name), { force: true })
      }
    },

    async check() {
      await ready
      const probe = join(incoming, `.check-${process.pid}`)
      await writeFile(probe, '')
      await rm(probe)
    },
  }
}

function handleOf(temporary: string, place: (from: string, key: string) => Promise<void>) {
  return {
    commit: (key: string) => place(temporary, key),
    discard: () => rm(temporary, { force: true }),
  } satisfies Pick<Incoming, 'commit' | 'discard'>
}

async function writeAll(path: string, body: AsyncIterable<Uint8Array>, maxBytes: number) {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  try {
    const bytes = await writeStream(file, body, { maxBytes, onChunk: (chunk) => hash.update(chunk) })
    return { bytes, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes a rename durable: the entry lies in the folder, not in the file. */
async function syncFolder(path: string): Promise<void> {
  await syncFile(path).catch(() => {})
}
