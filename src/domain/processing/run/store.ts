import { createHash } from 'node:crypto'
import type { Services } from '../../../platform/context.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import { DAY_MS } from '../../../platform/time.ts'
import { withoutExtension } from '../../delivery/name.ts'
import { discard, newStorageKey } from '../../track/file/bytes.ts'
import type { FileWithVariant } from '../../track/service.ts'
import type { Run } from './run.ts'

/** Lists keys that are about to be written. Objects that no row names after a day are removed. */
export const reserveKeys = (services: Services, keys: readonly string[]) =>
  discard(services.db, keys, new Date(services.clock().getTime() + DAY_MS))

/**
 * Name of the writer of an object, for its key. After a crash it is another one: the worker that is presumed dead may
 * still write the objects of its attempt.
 */
export const formatWriter = ({ id, crashes }: Pick<Job, 'id' | 'crashes'>) => (crashes === 0 ? id : `${id} ${crashes}`)

/** Reserves the storage key of one file of a run. */
export async function reserveFileKey({ services, job, track }: Run, row: FileWithVariant, extension: string) {
  const key = newStorageKey({ ...row, basePath: track.basePath }, formatWriter(job), row.props, extension)
  await reserveKeys(services, [key])
  return key
}

/** Stores a finished local file. */
export async function storeFile(
  run: Run,
  row: FileWithVariant,
  { local, extension, contentType }: { local: string; extension: string; contentType: string },
) {
  const storageKey = await reserveFileKey(run, row, extension)
  const { size, sha256 } = await hashFile(local, run.signal)
  await run.services.storage.put(storageKey, local, contentType, run.signal)
  const fileName = `${withoutExtension(run.track.fileName)}.${extension}`
  return { state: 'done' as const, storageKey, extension, size, sha256, contentType, fileName }
}

/**
 * Stores a local file next to another one of the same variant, under a key that no row names yet.
 * @param key in storage
 */
export async function storeSibling(
  { services, signal }: Run,
  { local, key: path }: { local: string; key: string },
  type: string,
) {
  await reserveKeys(services, [path])
  const { size, sha256 } = await hashFile(local, signal)
  await services.storage.put(path, local, type, signal)
  return { path, type, size, sha256 }
}

/** Size and SHA-256 of a local file, which is read as a stream. */
export async function hashFile(file: string, signal?: AbortSignal): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of Bun.file(file).stream()) {
    signal?.throwIfAborted()
    hash.update(chunk)
    size += chunk.byteLength
  }
  return { size, sha256: hash.digest('hex') }
}
