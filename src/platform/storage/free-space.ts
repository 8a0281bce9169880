import { statfs } from 'node:fs/promises'

/** Returns the free bytes of a folder's file system for an unprivileged process. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
