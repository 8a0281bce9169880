import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeBytesOf } from '../../storage/free-space.ts'
import { DAY_MS } from '../../time.ts'

/** Local folders of one run. */
export interface Scratch {
  /** Objects from storage, possibly links. Media programs see single files of this folder. */
  inputs: string
  /** Results. Media programs see all of this folder and may write to it. */
  work: string
}

/** Calls `use` with new scratch folders and removes them afterwards. */
export async function withScratch<T>(use: (scratch: Scratch) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `tonearm-${process.pid}-`))
  try {
    const scratch = { inputs: join(folder, 'inputs'), work: join(folder, 'work') }
    await Promise.all([mkdir(scratch.inputs), mkdir(scratch.work)])
    return await use(scratch)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Free bytes for scratch folders. */
export const freeScratchBytes = () => freeBytesOf(tmpdir())

/** Longer than any run. Containers share folders without seeing each other's processes, so only the age is reliable. */
const ABANDONED_MS = DAY_MS

/**
 * Removes scratch folders of killed processes.
 * @param now milliseconds since the epoch
 * @returns number of removed folders
 */
export async function removeAbandonedScratch(now: number): Promise<number> {
  let removed = 0
  for (const name of await readdir(tmpdir())) {
    const owner = /^tonearm-(\d+)-/.exec(name)?.[1]
    const folder = join(tmpdir(), name)
    if (!owner || isAlive(Number(owner)) || !(await isOlder(folder, now - ABANDONED_MS))) continue
    // Folders of another user cannot be removed.
    await rm(folder, { recursive: true, force: true }).then(
      () => removed++,
      () => {},
    )
  }
  return removed
}

async function isOlder(folder: string, than: number): Promise<boolean> {
  const found = await stat(folder).catch(() => null)
  return found?.isDirectory() === true && found.mtimeMs < than
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code !== 'ESRCH'
  }
}
