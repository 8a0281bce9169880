import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFreeBytes } from '../../storage/free-space.ts'
import { HOUR_MS } from '../../time.ts'
import { HostFault } from './host-fault.ts'

/** Local folders of one run. */
export interface Scratch {
  /** Objects from storage, possibly links. Media programs see single files of this folder. */
  inputs: string
  /** Results. Media programs see all of this folder and may write to it. */
  work: string
  /**
   * Reserves space for all files of the run, in addition to what the other runs of this process have reserved.
   * @param bytes in total, with those that are written
   * @throws HostFault `disk_full`
   */
  reserve: (bytes: number) => Promise<void>
}

/** Folders of the runs of this process, with their reserved bytes. */
const inUse = new Map<string, number>()

export interface ScratchOptions {
  /** Defaults to those of the disk. */
  freeBytes?: () => Promise<number>
  /** The folders of its earlier attempts on this host, whose workers were killed, are removed before. */
  jobId?: string
}

/** Calls `use` with new scratch folders and removes them afterwards. */
export async function withScratch<T>(
  use: (scratch: Scratch) => Promise<T>,
  { freeBytes = freeScratchBytes, jobId }: ScratchOptions = {},
): Promise<T> {
  if (jobId) await removeEarlier(jobId)
  const folder = await mkdtemp(join(tmpdir(), `tonearm-${process.pid}-${jobId ? `${jobId}-` : ''}`))
  inUse.set(folder, 0)
  try {
    const [inputs, work] = [join(folder, 'inputs'), join(folder, 'work')]
    await Promise.all([mkdir(inputs), mkdir(work)])
    return await use({ inputs, work, reserve: (bytes) => inTurn(() => reserve(folder, bytes, freeBytes)) })
  } finally {
    inUse.delete(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes the folders of a job that this process does not use: the queue gives a job to one worker at a time. */
async function removeEarlier(jobId: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name)
    if (!/^tonearm-\d+-/.test(name) || !name.includes(`-${jobId}-`) || inUse.has(folder)) continue
    // Folders of another user cannot be removed.
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

let lastTurn: Promise<unknown> = Promise.resolve()

/** Starts work when all earlier work has ended, so that two runs do not reserve the same bytes. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(work)
  lastTurn = turn.catch(() => {})
  return turn
}

async function reserve(folder: string, bytes: number, freeBytes: () => Promise<number>): Promise<void> {
  let free = await freeBytes()
  for (const [other, reserved] of inUse) {
    if (other !== folder) free -= Math.max(0, reserved - (await writtenBytes(other)))
  }
  const missing = bytes - (await writtenBytes(folder))
  if (missing > Math.max(0, free)) throw new HostFault('disk_full', `${missing} bytes are needed and ${free} are free`)
  inUse.set(folder, Math.max(bytes, inUse.get(folder) ?? 0))
}

/** Bytes of the files in a folder. Files that are being removed have none. */
async function writtenBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    names.map(async (name) => {
      const stats = await stat(join(folder, name)).catch(() => null)
      return stats?.isFile() ? stats.size : 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Free bytes for scratch folders. */
export const freeScratchBytes = () => readFreeBytes(tmpdir())

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
  await Promise.all([...inUse.keys()].map((folder) => utimes(folder, time, time).catch(() => {})))
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
  const fileStats = await stat(folder).catch(() => null)
  return fileStats?.isDirectory() === true && fileStats.mtimeMs < than
}
