import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../config.ts'
import { type Storage, StorageError } from '../../platform/storage/storage.ts'
import { inFolder } from '../data-dir.ts'
import { type BackupReport, backUp } from './backup.ts'
import { type ListedObject, MANIFEST, OBJECTS, readLines, SUMS } from './format.ts'
import {
  type BackupPlace,
  isBucketAddress,
  listBackups,
  openPlace,
  parseBackupTime,
  SHARED_FILES,
  selectComplete,
  toBackupName,
  toSharedKey,
  withPlaceFile,
} from './place.ts'

/** Age from which an incomplete backup is removed. */
const INCOMPLETE_MS = 86_400_000

export interface IntoOptions {
  /** Folder or address of a bucket, for several backups. */
  into: string
  /** Number of complete backups that remain. */
  keep: number
  hasSecret: boolean
  note: (text: string) => void
  now?: () => Date
}

export interface IntoReport extends BackupReport {
  /** Objects whose bytes the place did not have. */
  copied: number
  copied_bytes: number
  /** Names of backups that were removed, because they are old or incomplete. */
  removed: string[]
}

/**
 * Writes a backup with the bytes of all objects to a place, which stores each content once, and removes old backups. The
 * backup has its name when it is complete.
 * @throws OperatorError for a place with backups of another installation, a full disk, or another backup that runs
 */
export async function backUpInto(
  services: { url: string; storage: Storage; config: Config },
  { into, keep, hasSecret, note, now = () => new Date() }: IntoOptions,
): Promise<IntoReport> {
  // Files for a bucket are written to a temporary folder first.
  const [setting, folderName] = isBucketAddress(into) ? ['TMPDIR', tmpdir()] : ['--into', into]
  return inFolder(setting, folderName, async () => {
    const place = await openPlace(services.config, '--into', into)
    const folder = await place.createStaging()
    try {
      const name = toBackupName(now())
      const store = createObjectStore(place, services.storage)
      const removed: string[] = []
      const report = await backUp(services, {
        folder,
        hasFiles: true,
        hasSecret,
        note,
        now,
        shared: {
          open: (fingerprint) => store.open(fingerprint, name),
          store: store.store,
          complete: () => putFiles(place, folder, name),
          removeOld: async () => {
            removed.push(...(await removeOld(place, keep, now())))
          },
        },
      })
      return { ...report, folder: `${into.replace(/\/+$/, '')}/${name}`, ...store.counts, removed }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

/** The bytes of objects in a place, by their checksums. */
function createObjectStore(place: BackupPlace, source: Storage) {
  /** Sizes of what the place has. */
  const stored = new Map<string, number>()
  /** Objects of the newest backup. A key never has another content, so that its checksum need not be read again. */
  const previous = new Map<string, { bytes: number; sha256: string }>()
  const counts = { copied: 0, copied_bytes: 0 }

  const read = async (key: string, size: number): Promise<AsyncIterable<Uint8Array> | null> => {
    const content = await source.read(key, 0, size)
    return content instanceof Blob ? content.stream() : content
  }

  const readSha256 = async (key: string, size: number): Promise<string | null> => {
    const content = await read(key, size)
    if (!content) return null
    const hash = createHash('sha256')
    for await (const chunk of content) hash.update(chunk)
    return hash.digest('hex')
  }

  /** Copies an object under the checksum of the bytes that arrive. */
  async function copyAs(expectedSha256: string, key: string, size: number): Promise<string | null> {
    const content = await read(key, size)
    if (!content) return null
    const received = await place.storage.receive(toSharedKey(expectedSha256), content, { maxBytes: size })
    const isExpected = received.sha256 === expectedSha256
    if (received.bytes !== size || !isExpected) await received.discard()
    if (received.bytes !== size) {
      throw new StorageError('read', key, new Error(`${received.bytes} of ${size} bytes arrived`))
    }
    if (!isExpected) return copyAs(received.sha256, key, size)
    await received.commit()
    stored.set(expectedSha256, size)
    counts.copied += 1
    counts.copied_bytes += size
    return expectedSha256
  }

  return {
    counts,

    async open(fingerprint: string, name: string): Promise<void> {
      const backups = await listBackups(place)
      if (backups.has(name)) throw new OperatorError(`--into: ${place.address} has the backup ${name} already`)
      const [newest] = selectComplete(backups)
      if (newest !== undefined) {
        await checkInstallation(place, newest, fingerprint)
        await withPlaceFile(place, `${newest}/${OBJECTS}`, async (file) => {
          for await (const { key, bytes, sha256 } of readLines(file)) {
            if (bytes !== null && sha256 !== null) previous.set(key, { bytes, sha256 })
          }
        })
      }
      for await (const { key, bytes } of place.list(`${SHARED_FILES}/`)) stored.set(key.slice(-64), bytes)
    },

    async store({ key, sha256: rowSha256 }: ListedObject, size: number): Promise<{ sha256: string } | null> {
      const earlier = previous.get(key)
      const sha256 = rowSha256 ?? (earlier?.bytes === size ? earlier.sha256 : null) ?? (await readSha256(key, size))
      if (sha256 === null) return null
      if (stored.get(sha256) === size) return { sha256 }
      const copiedSha256 = await copyAs(sha256, key, size)
      return copiedSha256 === null ? null : { sha256: copiedSha256 }
    },
  }
}

async function checkInstallation(place: BackupPlace, name: string, fingerprint: string): Promise<void> {
  const text = await withPlaceFile(place, `${name}/${MANIFEST}`, (file) => readFile(file, 'utf8'))
  const { secret_fingerprint } = JSON.parse(text) as { secret_fingerprint?: unknown }
  if (secret_fingerprint === fingerprint) return
  throw new OperatorError(`--into: ${place.address} has backups of another installation; name another place`)
}

/** Puts a complete backup into a place. The file that makes it complete is the last. */
async function putFiles(place: BackupPlace, folder: string, name: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const put = (file: string) =>
    place.storage.put(`${name}${file.slice(folder.length)}`, file, 'application/octet-stream')
  const sums = join(folder, SUMS)
  for (const file of files.filter((file) => file !== sums)) await put(file)
  await put(sums)
}

/**
 * Removes complete backups except for the newest ones, incomplete ones that are older than a day, and the bytes of
 * objects that no remaining backup lists.
 * @returns the names of removed backups
 */
async function removeOld(place: BackupPlace, keep: number, now: Date): Promise<string[]> {
  const old = new Date(now.getTime() - INCOMPLETE_MS)
  const backups = await listBackups(place)
  const complete = selectComplete(backups)
  const incomplete = [...backups.keys()].filter((name) => !complete.includes(name) && parseBackupTime(name) < old)
  const removed = [...complete.slice(keep), ...incomplete]
  for (const name of removed) {
    // First, so that an interruption leaves an incomplete backup, which the next one removes.
    await place.remove([`${name}/${SUMS}`])
    await place.remove((backups.get(name) ?? []).filter((key) => key !== `${name}/${SUMS}`))
  }
  await removeUnlisted(place, complete.slice(0, keep))
  await place.removeUnfinished(old)
  return removed
}

/** Removes bytes that none of the named backups lists. Nothing is removed when one of their lists cannot be read. */
async function removeUnlisted(place: BackupPlace, names: readonly string[]): Promise<void> {
  const listed = new Set<string>()
  for (const name of names) {
    await withPlaceFile(place, `${name}/${OBJECTS}`, async (file) => {
      for await (const { sha256 } of readLines(file)) if (sha256 !== null) listed.add(sha256)
    })
  }
  const unlisted: string[] = []
  for await (const { key } of place.list(`${SHARED_FILES}/`)) if (!listed.has(key.slice(-64))) unlisted.push(key)
  await place.remove(unlisted)
}
