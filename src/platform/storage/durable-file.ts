import { randomUUID } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Atomically replaces the text of a file that only its owner can read. After a crash it has the old or the new text.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path))
}

/** Atomically creates a file that only its owner can read. Does nothing if it exists. */
export async function createFile(path: string, text: string): Promise<void> {
  await withTemporary(path, text, async (temporary) => {
    try {
      await link(temporary, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
}

async function withTemporary(path: string, text: string, place: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  try {
    await using file = await open(temporary, 'wx', 0o600)
    await file.writeFile(text)
    await file.sync()
    await place(temporary)
  } finally {
    await rm(temporary, { force: true })
  }
  await using folder = await open(dirname(path), 'r')
  await folder.sync().catch(() => {})
}
