import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeBytesOf } from '../../storage/free-space.ts'
import { DAY_MS } from '../../time.ts'

/** Folders of one run on the local disk. */
export interface Scratch {
  /** Objects fetched from storage, possibly as links. Media programs see single files of it. */
  inputs: string
  /** Results. Media programs may write here and see all of it. */
  work: string
}

/** Calls `use` with scratch folders of its own and removes them afterwards. */
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

/** Bytes that may still be written to scratch folders. */
export const freeScratchBytes = () => freeBytesOf(tmpdir())

/** Longer than any run. Containers share folders without seeing each other's processes: age is all they can go by. */
const ABANDONED_MS = DAY_MS

/**
 * Removes scratch folders of processes that were killed.
 * @param now milliseconds of the epoch
 * @returns how many
 */
export async function removeAbandonedScratch(now: number): Promise<number> {
  let removed = 0
  for (const name of await readdir(tmpdir())) {
    const owner = /^tonearm-(\d+)-/.exec(name)?.[1]
    const folder = join(tmpdir(), name)
    if (!owner || isAlive(Number(owner)) || !(await isOlder(folder, now - ABANDONED_MS))) continue
    // Of another user: nothing that we may remove.
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
