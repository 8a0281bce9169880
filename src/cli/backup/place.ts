import { mkdir, mkdtemp, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Config, OperatorError } from '../../config.ts'
import { createLocalStorage } from '../../platform/storage/local.ts'
import { createS3Storage } from '../../platform/storage/s3.ts'
import { type ListedPage, type Storage, StorageError } from '../../platform/storage/storage.ts'
import { SUMS } from './format.ts'

/** Names of backups in a place: times of their beginnings, UTC. */
const BACKUP_NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/
const BUCKET_ADDRESS = /^s3:\/\/([a-z\d][a-z\d.-]+)(?:\/+([\w./-]*?))?\/*$/
/** Folder of the objects, by their checksums, that all backups of a place share. */
export const SHARED_FILES = 'files'

/**
 * A folder, or a part of a bucket, with several backups: `NAME/…` are the files of one, `files/…` the bytes of objects,
 * each stored once. Keys are relative to the place.
 */
export interface BackupPlace {
  /** As the operator wrote it. */
  address: string
  storage: Pick<Storage, 'receive' | 'put' | 'fetch'>
  /** Creates a folder for files that are not in the place yet. */
  createStaging: () => Promise<string>
  /** Lists all keys that begin with a text, in no order. */
  list: (prefix: string) => AsyncGenerator<{ key: string; bytes: number }>
  /** Removes objects. Absent ones are ignored. */
  remove: (keys: readonly string[]) => Promise<void>
  /** Removes what interrupted writers left before a time. */
  removeUnfinished: (before: Date) => Promise<void>
}

export const isBucketAddress = (address: string) => address.startsWith('s3:')

export const toBackupName = (begun: Date) =>
  begun
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')

export const parseBackupTime = (name: string) => new Date(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))

/** Returns the key of an object's bytes in the place. */
export const toSharedKey = (sha256: string) => `${SHARED_FILES}/${sha256.slice(0, 2)}/${sha256}`

/** @throws OperatorError for an invalid address. @param option that names it, for messages */
export async function openPlace(config: Config, option: string, address: string): Promise<BackupPlace> {
  return isBucketAddress(address) ? openBucketPlace(config, option, address) : openFolderPlace(address, true)
}

/** @param isNew create the folder. Else it is only read, and may be on a disk without writes */
async function openFolderPlace(address: string, isNew = false): Promise<BackupPlace> {
  const root = resolve(address)
  if (isNew)
    for (const folder of [root, join(root, SHARED_FILES)]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const storage = createLocalStorage(root)
  const stagings = join(root, '.staging')
  return {
    address,
    storage: {
      receive: (key, body, options) => nameDiskErrors(() => storage.receive(key, body, options)),
      put: (key, file, type) => nameDiskErrors(() => storage.put(key, file, type)),
      fetch: storage.fetch,
    },
    createStaging: async () => {
      await mkdir(stagings, { recursive: true, mode: 0o700 })
      return mkdtemp(join(stagings, 'backup-'))
    },
    async *list(prefix) {
      for (const entry of await readdir(root)) {
        if (!entry.startsWith(prefix.split('/')[0] ?? '')) continue
        yield* walk(root, entry)
      }
    },
    async remove(keys) {
      for (const key of keys) await rm(join(root, key), { force: true })
      const folders = [...new Set(keys.map(dirname))].sort((a, b) => b.length - a.length)
      // One with other files remains.
      for (const folder of folders) await rmdir(join(root, folder)).catch(() => {})
    },
    async removeUnfinished(before) {
      await storage.removeUnfinished(before)
      for (const name of await readdir(stagings).catch(() => [])) {
        const staging = join(stagings, name)
        if ((await stat(staging)).mtime < before) await rm(staging, { recursive: true, force: true })
      }
    },
  }
}

/** Throws errors of the disk as those of the system, which the caller names with the folder. */
async function nameDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    const isOfDisk = error instanceof StorageError && typeof (cause as { code?: unknown } | null)?.code === 'string'
    throw isOfDisk ? cause : error
  }
}

async function* walk(root: string, path: string): AsyncGenerator<{ key: string; bytes: number }> {
  const stats = await stat(join(root, path))
  if (!stats.isDirectory()) {
    yield { key: path, bytes: stats.size }
    return
  }
  for (const name of await readdir(join(root, path))) yield* walk(root, `${path}/${name}`)
}

function openBucketPlace(config: Config, option: string, address: string): BackupPlace {
  const { bucket, prefix } = parseBucketAddress(option, address)
  const { endpoint, region, accessKeyId, secretAccessKey } = config.backup.s3
  if (!endpoint || !region || !accessKeyId || !secretAccessKey) {
    throw new OperatorError(
      `${option}: ${address} needs BACKUP_S3_ENDPOINT, BACKUP_S3_REGION, BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY, or those of S3_…`,
    )
  }
  const storage = createS3Storage({ endpoint, bucket, region, accessKeyId, secretAccessKey })
  return {
    address,
    storage: {
      receive: (key, body, options) => storage.receive(prefix + key, body, options),
      put: (key, file, type) => storage.put(prefix + key, file, type),
      fetch: (key, folder) => storage.fetch(prefix + key, folder),
    },
    createStaging: () => mkdtemp(join(tmpdir(), 'tonearm-backup-')),
    async *list(part) {
      let token: string | null = null
      do {
        const page: ListedPage | undefined = await storage.presign?.list(prefix + part, token)
        for (const { key, bytes } of page?.objects ?? []) yield { key: key.slice(prefix.length), bytes }
        token = page?.next ?? null
      } while (token !== null)
    },
    async remove(keys) {
      const [failure] = await storage.remove(keys.map((key) => prefix + key))
      if (failure) throw failure.error
    },
    removeUnfinished: async () => {},
  }
}

function parseBucketAddress(option: string, address: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = BUCKET_ADDRESS.exec(address) ?? []
  if (!bucket) throw new OperatorError(`${option}: ${address} must be a folder or s3://BUCKET/PREFIX`)
  return { bucket, prefix: path === '' ? '' : `${path}/` }
}

/** Files of the backups of a place, by the names of the backups. */
export async function listBackups({ list }: BackupPlace): Promise<Map<string, string[]>> {
  const backups = new Map<string, string[]>()
  for await (const { key } of list('2')) {
    const name = key.split('/', 1)[0] ?? ''
    if (BACKUP_NAME.test(name)) backups.set(name, [...(backups.get(name) ?? []), key])
  }
  return backups
}

/** Returns the names of the complete backups, the newest first. */
export const selectComplete = (backups: ReadonlyMap<string, string[]>): string[] =>
  [...backups.keys()]
    .filter((name) => backups.get(name)?.includes(`${name}/${SUMS}`))
    .sort()
    .reverse()

/** Fetches a file of a place for the time of some work. */
export async function withPlaceFile<T>(
  place: BackupPlace,
  key: string,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-backup-'))
  try {
    return await work(await place.storage.fetch(key, folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A backup to read, in a local folder. */
export interface OpenedBackup extends AsyncDisposable {
  folder: string
  /** Where its objects are, if it does not contain them. */
  place: BackupPlace | null
}

/**
 * Opens a backup. The files of one in a bucket are downloaded, except for the bytes of objects.
 * @param from a backup, or a place with several, whose newest complete one is opened
 * @throws OperatorError for a place without a complete backup
 */
export async function openSource(config: Config, from: string): Promise<OpenedBackup> {
  const { address, name } = splitAddress(from)
  if (!isBucketAddress(from)) {
    if (name !== null) return openFolder(from, address)
    const isPlace = (await readdir(from).catch(() => [])).some((entry) => BACKUP_NAME.test(entry))
    if (!isPlace) return openFolder(from, null)
    return openFolder(join(from, await findNewest(await openFolderPlace(from))), from)
  }
  const place = await openPlace(config, '--from', address)
  const newest = name ?? (await findNewest(place))
  const folder = await place.createStaging()
  try {
    for await (const { key } of place.list(`${newest}/`)) {
      const file = join(folder, key.slice(newest.length + 1))
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await rename(await place.storage.fetch(key, folder), file)
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return { folder, place, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

const openFolder = async (folder: string, place: string | null): Promise<OpenedBackup> => ({
  folder,
  place: place === null ? null : await openFolderPlace(place),
  [Symbol.asyncDispose]: async () => {},
})

/** Separates the name of a backup from the address of its place. */
function splitAddress(from: string): { address: string; name: string | null } {
  const path = from.replace(/\/+$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1)
  return BACKUP_NAME.test(name) ? { address: dirname(path), name } : { address: path, name: null }
}

async function findNewest(place: BackupPlace): Promise<string> {
  const [newest] = selectComplete(await listBackups(place))
  if (newest === undefined) throw new OperatorError(`--from: ${place.address} has no complete backup`)
  return newest
}
