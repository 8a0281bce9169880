import { Database, type SQLiteError } from 'bun:sqlite'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder that this process alone uses. */
export interface FolderLock {
  release: () => void
}

/**
 * Locks a folder until the process ends, however it ends. Bun offers locks of the operating system only through SQLite:
 * an exclusive transaction on the empty database `lock`.
 * @returns null when another process has the lock
 * @throws an error with a code such as EACCES when the folder is not writable
 */
export async function lockFolder(folder: string): Promise<FolderLock | null> {
  await access(folder, constants.W_OK)
  const database = new Database(join(folder, 'lock'), { create: true })
  try {
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as SQLiteError).code === 'SQLITE_BUSY') return null
    throw error
  }
  return { release: () => database.close() }
}
