import { OperatorError } from '../config.ts'
import { readFreeBytes } from '../platform/storage/free-space.ts'

const rules: Record<string, string> = {
  EACCES: 'is not writable',
  EPERM: 'is not writable',
  EROFS: 'is not writable',
  EEXIST: 'is not a folder',
  ENOTDIR: 'is not a folder',
  ELOOP: 'has a loop of links in its path',
  ENAMETOOLONG: 'has a name that is too long',
  ENOSPC: 'is on a full disk',
  EDQUOT: 'is on a full disk',
}

/** Free space below which a failure is reported as a full disk: programs rarely name the reason. */
const FULL_BYTES = 16 << 20

/**
 * Runs a part of the start that writes to DATA_DIR.
 * @throws OperatorError when the folder cannot be used; any other error unchanged
 */
export const inDataDir = <T>(dataDir: string, work: () => Promise<T>): Promise<T> => inFolder('DATA_DIR', dataDir, work)

/**
 * Runs work that writes to a folder.
 * @param setting that names the folder, for messages
 * @throws OperatorError when the folder cannot be used; any other error unchanged
 */
export async function inFolder<T>(setting: string, folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const rule = findRule(error as NodeJS.ErrnoException) ?? ((await isFull(folder)) ? rules.ENOSPC : undefined)
    if (!rule) throw error
    throw new OperatorError(`${setting}: ${folder} ${rule}`, { cause: error })
  }
}

/** ENOENT is a rule of new folders alone: programs and files that are missing have the same code. */
const findRule = ({ code = '', syscall }: NodeJS.ErrnoException): string | undefined =>
  code === 'ENOENT' && syscall === 'mkdir' ? 'cannot be created' : rules[code]

async function isFull(folder: string): Promise<boolean> {
  const free = await readFreeBytes(folder).catch(() => null)
  return free !== null && free < FULL_BYTES
}
