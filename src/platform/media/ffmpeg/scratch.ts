import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeBytesOf } from '../../storage/free-space.ts'
import { HOUR_MS } from '../../time.ts'

/** Local folders of one run. */
export interface Scratch {
  /** Objects from storage, possibly links. Media programs see single files of this folder. */
  inputs: string
  /** Results. Media programs see all of this folder and may write to it. */
  work: string
}

/** Folders of the runs of this process. */
const inUse = new Set<string>()

/** Calls `use` with new scratch folders and removes them afterwards. */
export async function withScratch<T>(use: (scratch: Scratch) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `tonearm-${process.pid}-`))
  inUse.add(folder)
  try {
    const scratch = { inputs: join(folder, 'inputs'), work: join(folder, 'work') }
    await Promise.all([mkdir(scratch.inputs), mkdir(scratch.work)])
    return await use(scratch)
  } finally {
    inUse.delete(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Free bytes for scratch folders. */
export const freeScratchBytes = () => freeBytesOf(tmpdir())

/**
 * Time without a sweep of its owner after which a folder counts as abandoned. Process ids do not tell owners apart:
 * containers share folders without seeing each other's processes, and the first process of each has the same id.
 */
const ABANDONED_MS = HOUR_MS
/** Interval of sweeps. */
export const SWEEP_MS = HOUR_MS / 6

/**
 * Marks the folders of this process as used, and removes those that no process has marked for an hour.
 * @param now milliseconds since the epoch
 * @returns number of removed folders
 */
export async function sweepScratch(now: number): Promise<number> {
  const time = new Date(now)
  await Promise.all([...inUse].map((folder) => utimes(folder, time, time).catch(() => {})))
  let removed = 0
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name)
    if (!/^tonearm-\d+-/.test(name) || !(await isOlder(folder, now - ABANDONED_MS))) continue
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
