import { randomUUID } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file by another text, for its owner alone. A crash leaves the text of before or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path))
}

/** Creates a file, for its owner alone: whole or not at all. Does nothing where one exists. */
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
