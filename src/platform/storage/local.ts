import { createHash, randomUUID } from 'node:crypto'
import { readSync, statSync } from 'node:fs'
import { constants, copyFile, link, mkdir, open, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { Recent } from '../recent.ts'
import { createAwakeFiles } from './awake-files.ts'
import { readFreeBytes } from './free-space.ts'
import { createLocalPieces } from './local-pieces.ts'
import { createOpenFiles } from './open-files.ts'
import { removeEach } from './remove-each.ts'
import { asStorageError, guardStorage, type Incoming, type Storage } from './storage.ts'
import { writeStream } from './write-stream.ts'

const CHECK_BYTES = 4096
const ANSWER_MS = 20_000
/** Folders that are remembered. About 2 MB. */
const MAX_SYNCED = 10_000
/** Longest range that is read without waiting. Longer ones are sent by `sendfile`, which does not copy them. */
const READ_NOW_BYTES = 131_072

/**
 * Stores objects in a folder of a local disk. An upload is written to `.incoming` on the same file system: temporary
 * file, fsync, rename, fsync of the folder.
 * @param options `answerMs`: time limit for a disk to begin with an object, defaults to 20,000 ms; `now`: monotonic time in ms
 */
export function createLocalStorage(
  root: string,
  { answerMs = ANSWER_MS, now = () => performance.now() } = {},
): Storage {
  const base = resolve(root)
  const incoming = join(base, '.incoming')
  const ready = mkdir(incoming, { recursive: true })
  // Every method awaits it. Without a listener, a failure before the first call would end the process.
  ready.catch(() => {})

  /** Folders whose parents are durable. */
  const syncedFolders = new Recent<true>(MAX_SYNCED)

  const toPath = (key: string): string => {
    const path = resolve(base, key)
    if (!path.startsWith(base + sep)) throw new Error(`storage key is outside of the folder: ${key}`)
    return path
  }

  const place = (from: string, key: string): Promise<void> =>
    guardStorage('place', key, async () => {
      const path = toPath(key)
      const folder = dirname(path)
      const firstCreated = await mkdir(folder, { recursive: true })
      await rename(from, path)
      // rename() does nothing when both names are links to the same file.
      await rm(from, { force: true })
      // Another writer may have created folders and not have synchronized them yet.
      const highest = syncedFolders.get(folder) ? firstCreated : join(base, key.split('/', 1)[0] ?? '')
      for (const changed of foldersToSync(folder, highest)) await syncFolder(changed)
      syncedFolders.set(folder, true)
    })

  /** Makes a file an object without removing it. After a failure nothing of it remains. */
  const placeCopy = async (from: string, key: string): Promise<void> => {
    const temporary = join(incoming, randomUUID())
    try {
      await linkOrCopy(from, temporary)
      await syncFile(temporary)
      await place(temporary, key)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    }
  }

  /**
   * Returns the size of an object. Returns null only if the storage folder exists: an unmounted disk has no objects
   * either.
   */
  const readSize = async (key: string): Promise<number | null> => {
    try {
      // Synchronous for a file that was just read: a thread takes several times as long for a name that is cached, and
      // Bun opens the file so, too.
      const stats = files.isAwake(key) ? statSync(toPath(key)) : await files.wake(key)
      return stats.isFile() ? stats.size : null
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
      await stat(incoming)
      return null
    }
  }

  const files = createAwakeFiles(toPath, answerMs, now)
  const guardedCopy = (from: string, key: string) => guardStorage('place', key, () => placeCopy(from, key))
  const window = Buffer.alloc(READ_NOW_BYTES)
  const descriptorOf = createOpenFiles(toPath)

  return {
    pieces: createLocalPieces(incoming, ready, (file, key) => createHandle(file, key, guardedCopy)),

    async receive(key, body, { maxBytes }) {
      const temporary = join(incoming, randomUUID())
      try {
        await guardStorage('receive', null, () => ready)
        return { ...(await writeAll(temporary, body, maxBytes)), ...createHandle(temporary, key, place) }
      } catch (error) {
        await rm(temporary, { force: true })
        throw asStorageError('receive', error)
      }
    },

    put: (key, localFile) =>
      guardStorage('put', key, async () => {
        await ready
        await placeCopy(localFile, key)
      }),

    copy: (from, to) =>
      guardStorage('copy', from, async () => {
        await ready
        await placeCopy(toPath(from), to)
      }),

    fetch: (key, folder) =>
      guardStorage('fetch', key, async () => {
        if ((await readSize(key)) === null) throw new Error('the object does not exist')
        const local = join(folder, `${randomUUID()}-${basename(key)}`)
        // Hard links do not work across file systems, and scratch is often a tmpfs.
        await link(toPath(key), local).catch(() => symlink(toPath(key), local))
        return local
      }),

    read: (key, start, end) =>
      guardStorage('read', key, async () =>
        (await readSize(key)) === null ? null : Bun.file(toPath(key)).slice(start, end),
      ),

    readNow(key, start, end) {
      // A disk that does not answer would stop the whole process.
      if (end - start > window.length || !files.isAwake(key)) return null
      try {
        const length = readSync(descriptorOf(key), window, 0, end - start, start)
        return length === end - start ? window.subarray(0, length) : null
      } catch {
        return null
      }
    },

    size: (key) => guardStorage('size', key, () => readSize(key)),

    remove: (keys) => removeEach(keys, (key) => guardStorage('remove', key, () => rm(toPath(key), { force: true }))),

    async removeUnfinished(before) {
      await ready
      for (const name of await readdir(incoming)) {
        const fileStats = await stat(join(incoming, name)).catch(() => null)
        // A link to an old object has the old mtime; linking changes its ctime, as writing does.
        if (fileStats && fileStats.ctime < before) await rm(join(incoming, name), { force: true })
      }
    },

    async check() {
      await ready
      // A unique name, because checks of several processes share the folder.
      const probe = join(incoming, `.check-${randomUUID()}`)
      try {
        // Not empty, because a full disk accepts empty files.
        await writeFile(probe, Buffer.alloc(CHECK_BYTES))
      } finally {
        await rm(probe, { force: true })
      }
    },

    async freeBytes() {
      await ready
      return readFreeBytes(base)
    },
  }
}

/** Scratch and storage are usually on the same file system, where a link avoids a copy. */
const linkOrCopy = (from: string, to: string) =>
  link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE))

function createHandle(temporary: string, key: string, place: (from: string, key: string) => Promise<void>) {
  return {
    key,
    commit: () => place(temporary, key),
    discard: () => rm(temporary, { force: true }),
  } satisfies Pick<Incoming, 'key' | 'commit' | 'discard'>
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

/**
 * Returns the folders whose entries an object's path has changed, deepest first.
 * @param folder of the object
 * @param firstCreated highest folder that was created for it, if any
 */
export function foldersToSync(folder: string, firstCreated: string | undefined): string[] {
  if (firstCreated === undefined) return [folder]
  const highest = dirname(firstCreated)
  const folders = [folder]
  for (let parent = folder; parent !== highest && parent !== dirname(parent); ) {
    parent = dirname(parent)
    folders.push(parent)
  }
  return folders
}

/** Makes a rename durable: the entry belongs to the folder, not to the file. */
async function syncFolder(path: string): Promise<void> {
  await syncFile(path).catch(() => {})
}
