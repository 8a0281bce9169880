import { statfs } from 'node:fs/promises'

/** Bytes that an unprivileged process may still write to the file system of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
