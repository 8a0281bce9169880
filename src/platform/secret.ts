import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The root of every derived secret, made once and kept in DATA_DIR for its owner alone. */
export async function rootSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'secret')
  try {
    // Only the first of several processes creates it.
    await writeFile(file, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFile(file, 'utf8')
}
