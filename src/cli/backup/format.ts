import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { OperatorError } from '../../config.ts'
import type { Table } from '../../platform/db/tables.ts'

/** Files of a backup. SHA256SUMS is written last: a folder without it is incomplete. */
export const SUMS = 'SHA256SUMS'
export const MANIFEST = 'manifest.json'
export const OBJECTS = 'objects.jsonl.gz'
export const SECRET_FILE = 'secret'
/** Folder with the bytes of objects, by their keys. */
export const FILES_FOLDER = 'files'

export const toTableFile = ({ schema, name }: Pick<Table, 'schema' | 'name'>) => `database/${schema}.${name}.copy.gz`

const name = z.string().regex(/^\w{1,63}$/)
const count = z.number().int().min(0)

const manifestSchema = z.object({
  format: z.literal(1),
  /** Time of the snapshot. ISO 8601. */
  created_at: z.iso.datetime(),
  /** Release of the service. */
  version: z.string(),
  /** Major version of PostgreSQL. For people: rows are in a format that all versions read. */
  postgresql: count,
  /** Applied migrations in order, with the SHA-256 of their scripts. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })).min(1),
  /** Last migration of the queue's tables. */
  queue_migration: count,
  /** Fingerprint of SECRET, which reveals nothing about it. */
  secret_fingerprint: z.string(),
  has_secret: z.boolean(),
  tables: z.array(z.object({ schema: name, name, columns: z.array(name), rows: count })).min(1),
  sequences: z.array(z.object({ schema: name, name, value: z.string().regex(/^\d+$/), is_called: z.boolean() })),
  /** Objects that rows name. */
  objects: z.object({
    count,
    bytes: count,
    missing: count,
    has_files: z.boolean(),
    /** The bytes are in the place of the backup, by their checksums, and not in the backup itself. */
    is_shared: z.boolean().default(false),
  }),
})

export type Manifest = z.infer<typeof manifestSchema>

/** A line of the list of objects. */
const objectSchema = z.object({
  key: z.string().regex(/^(?!.*(^|\/)\.\.?(\/|$))[\w.-]+(\/[\w.-]+)*$/),
  /** Null for an object that was missing when the backup was made. */
  bytes: count.nullable(),
  /** Null if unknown. */
  sha256: z.string().nullable(),
  content_type: z.string(),
  /** Time from which the purge may remove it, of a deleted record. */
  expires_at: z.iso.datetime().nullable(),
})

export type ListedObject = z.infer<typeof objectSchema>

/** Returns the SHA-256 of a file, lower-case hexadecimal. Reads it as a stream. */
export async function hashBackupFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/**
 * Reads the manifest of a backup and verifies the checksums of its files, except for those of objects.
 * @throws OperatorError for an incomplete, damaged or unknown backup
 */
export async function openBackup(folder: string): Promise<Manifest> {
  const sums = await readFile(join(folder, SUMS), 'utf8').catch(() => null)
  if (sums === null) throw new OperatorError(`--from: ${folder} is not a complete backup: it has no ${SUMS}`)
  const listed = new Map(
    sums.split('\n').flatMap((line) => {
      const [, sha256 = '', file = ''] = /^([\da-f]{64}) {2}([\w./-]+)$/.exec(line) ?? []
      return file === '' ? [] : [[file, sha256] as const]
    }),
  )
  for (const [file, sha256] of listed) {
    const fileSha256 = await hashBackupFile(join(folder, file)).catch(() => null)
    if (fileSha256 === null) throw new OperatorError(`--from: the backup is damaged: ${file} cannot be read`)
    if (fileSha256 !== sha256)
      throw new OperatorError(`--from: the backup is damaged: ${file} differs from its checksum`)
  }
  const manifest = await readManifest(folder)
  const needed = [MANIFEST, OBJECTS, ...manifest.tables.map(toTableFile), ...(manifest.has_secret ? [SECRET_FILE] : [])]
  const absent = needed.find((file) => !listed.has(file))
  if (absent) throw new OperatorError(`--from: the backup is damaged: ${SUMS} does not list ${absent}`)
  return manifest
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => '')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new OperatorError(`--from: the backup is damaged: ${MANIFEST} is not JSON`)
  }
  const { success, data, error } = manifestSchema.safeParse(json)
  if (success) return data
  const [issue] = error.issues
  throw new OperatorError(`--from: ${MANIFEST} is of another format: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** Reads a list of objects, one at a time. */
export async function* readLines(file: string): AsyncGenerator<ListedObject> {
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) })
  for await (const line of lines) yield objectSchema.parse(JSON.parse(line))
}
