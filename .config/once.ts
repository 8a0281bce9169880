import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dir, '..')

/**
 * Runs `make` unless `folder` was generated from the same inputs. Otherwise writes nothing: in an image no folder is
 * writable.
 */
export async function once(folder: string, inputs: string[], make: () => void | Promise<void>): Promise<void> {
  const hash = createHash('sha256')
  for (const input of inputs.sort()) hash.update(`${input}\n`).update(readFileSync(join(root, input)))
  const stamp = hash.digest('hex')
  const stampFile = join(root, folder, '.stamp')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  await make()
  writeFileSync(stampFile, stamp)
}
