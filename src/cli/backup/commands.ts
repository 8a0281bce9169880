import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Logger } from 'pino'
import { type Config, OperatorError } from '../../config.ts'
import { checkConnection } from '../../platform/db/connect.ts'
import { joinEmbeddedPostgres, startEmbeddedPostgres } from '../../platform/db/embedded.ts'
import { createLocalStorage } from '../../platform/storage/local.ts'
import { createS3Storage } from '../../platform/storage/s3.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { inDataDir, inFolder } from '../data-dir.ts'
import { backUpInto } from './back-up-into.ts'
import { backUp } from './backup.ts'
import { type ListedObject, OBJECTS, openBackup, readLines } from './format.ts'
import { checkObjects, objectsOfRows, toListed } from './objects.ts'
import { openSource } from './place.ts'
import { checkBackup, restore } from './restore.ts'

/** Input of a command that opens the database itself: it must not be migrated, or is empty. */
export interface Opening {
  config: Config
  log: Logger
  /** Prints a text for people, separate from the output. */
  note: (text: string) => void
}

/** Runs work with the database and the storage of the service, without migrating. Neither has to exist for `restore`. */
async function opened<T>(
  { config }: Opening,
  purpose: 'existing' | 'new',
  work: (services: { url: string; storage: Storage; config: Config }) => Promise<T>,
): Promise<T> {
  const { dataDir, storage } = config
  // A pooler cannot carry the locks of a session.
  const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl
  await using stack = new AsyncDisposableStack()
  const open = async () => {
    if (purpose === 'new') await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const folder = join(dataDir, 'postgres')
    return purpose === 'new' ? startEmbeddedPostgres(folder) : joinEmbeddedPostgres(folder)
  }
  const embedded = databaseUrl === undefined ? await inDataDir(dataDir, open) : null
  if (embedded) stack.defer(() => embedded.stop())
  const url = databaseUrl ?? embedded?.url ?? ''
  await checkConnection(url, databaseUrl ? 'DATABASE_URL' : 'DATA_DIR')
  const objects = storage.kind === 's3' ? createS3Storage(storage) : createLocalStorage(join(dataDir, 'storage'))
  return await work({ url, storage: objects, config })
}

export const runBackup = (opening: Opening, folder: string, options: { hasFiles: boolean; hasSecret: boolean }) =>
  opened(opening, 'existing', (services) =>
    inFolder('--to', folder, () => backUp(services, { folder, ...options, note: opening.note })),
  )

/** @param keep null for BACKUP_KEEP */
export const runBackupInto = (
  opening: Opening,
  options: { into: string | null; keep: number | null; hasSecret: boolean },
) => {
  const { to, keep } = opening.config.backup
  const into = options.into ?? to
  if (into === undefined) throw new OperatorError('--to or --into: is required, unless BACKUP_TO is set')
  return opened(opening, 'existing', (services) =>
    backUpInto(services, { ...options, into, keep: options.keep ?? keep, note: opening.note }),
  )
}

export async function runRestore(opening: Opening, from: string) {
  await using source = await openSource(opening.config, from)
  // First, so that a mistake creates no database.
  const checked = await checkBackup(opening.config, source)
  return await opened(opening, 'new', (services) => restore(services, checked, { note: opening.note }))
}

/**
 * Compares storage with the rows of the database, or with the list of a backup.
 * @param from a backup. Without it the rows are read
 */
export const runCheckObjects = (opening: Opening, from: string | undefined, isDeep: boolean) =>
  opened(opening, 'existing', async ({ url, storage, config }) => {
    const onProgress = (count: number) => {
      if (count % 10_000 === 0) opening.note(`objects: ${count}`)
    }
    const options = { isDeep, now: new Date(), onProgress }
    if (from !== undefined) {
      await using source = await openSource(config, from)
      const { folder } = source
      await openBackup(folder)
      return await checkObjects(storage, readLines(join(folder, OBJECTS)), options)
    }
    const client = new Client({ connectionString: url, statement_timeout: 0, keepAlive: true })
    client.on('error', () => {})
    await client.connect()
    try {
      return await checkObjects(storage, listed(client, config), options)
    } finally {
      await client.end()
    }
  })

async function* listed(client: Client, config: Config): AsyncGenerator<ListedObject> {
  for await (const object of objectsOfRows(client, config)) yield toListed(object)
}
