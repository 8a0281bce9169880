import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'

/**
 * Opens a file for an upload in Node, Deno and Bun. Its bytes are read while they are sent.
 * @example
 * ```ts
 * const { trackId } = await tonearm.upload(await fileFromPath('song.wav'), { collectionId })
 * ```
 */
export async function fileFromPath(path: string): Promise<Blob & { name: string }> {
  return Object.assign(await openAsBlob(path), { name: basename(path) })
}
