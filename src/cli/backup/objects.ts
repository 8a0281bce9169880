import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import type { Config } from '../../config.ts'
import { objectsOfCollections } from '../../domain/collection/objects.ts'
import { objectsOfOrganizations } from '../../domain/organization/cover/objects.ts'
import { objectsOfTracks } from '../../domain/track/file/objects.ts'
import { objectsOfArchive } from '../../domain/usage/archive.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { StoredObject } from '../../platform/storage/stored-object.ts'
import type { ListedObject } from './format.ts'

/** Objects examined at once. */
const AT_ONCE = 32
/** Keys listed in a report. */
const MAX_LISTED = 100

/** Reads all objects that rows name. @param client in a transaction with one snapshot */
export async function* objectsOfRows(client: Pick<Client, 'query'>, config: Config): AsyncGenerator<StoredObject> {
  yield* objectsOfOrganizations(client)
  yield* objectsOfCollections(client, config)
  yield* objectsOfTracks(client, config)
  yield* objectsOfArchive(client)
}

export const toListed = ({ key, bytes, sha256, contentType, expiresAt }: StoredObject): ListedObject => ({
  key,
  bytes,
  sha256,
  content_type: contentType,
  expires_at: expiresAt?.toISOString() ?? null,
})

/** Runs work for each item, for several at once. @returns the results in the order of the items */
export async function* eachInOrder<T, R>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<R>,
  atOnce = AT_ONCE,
): AsyncGenerator<R> {
  let running: Promise<R>[] = []
  for await (const item of items) {
    running.push(work(item))
    if (running.length < atOnce) continue
    yield* await Promise.all(running)
    running = []
  }
  yield* await Promise.all(running)
}

export interface ObjectReport {
  objects: number
  bytes: number
  /** Numbers of objects, and the first 100 of their keys. */
  missing: number
  missing_keys: string[]
  differing: number
  differing_keys: string[]
}

/** Result of comparing an object with storage. */
export type ObjectVerdict = 'ok' | 'missing' | 'differing'

export const emptyReport = (): ObjectReport => ({
  objects: 0,
  bytes: 0,
  missing: 0,
  missing_keys: [],
  differing: 0,
  differing_keys: [],
})

/** Adds a verdict to a report. */
export function record(report: ObjectReport, verdict: ObjectVerdict, key: string): void {
  if (verdict === 'ok') return
  report[verdict] += 1
  const keys = report[`${verdict}_keys`]
  if (keys.length < MAX_LISTED) keys.push(key)
}

/**
 * Compares objects with storage.
 * @param isDeep read every object with a known checksum and compare it. Else sizes are compared
 * @param now an object that the purge may have removed by then is not missing
 */
export async function checkObjects(
  storage: Storage,
  objects: AsyncIterable<ListedObject>,
  { isDeep, now, onProgress }: { isDeep: boolean; now: Date; onProgress?: (count: number) => void },
): Promise<ObjectReport> {
  const report = emptyReport()
  const examine = async (object: ListedObject) => ({ object, verdict: await compare(storage, object, isDeep, now) })
  for await (const { object, verdict } of eachInOrder(objects, examine)) {
    report.objects += 1
    report.bytes += object.bytes ?? 0
    record(report, verdict, object.key)
    onProgress?.(report.objects)
  }
  return report
}

async function compare(
  storage: Storage,
  { key, bytes, sha256, expires_at }: ListedObject,
  isDeep: boolean,
  now: Date,
): Promise<ObjectVerdict> {
  const size = await storage.size(key)
  if (size === null) return expires_at !== null && new Date(expires_at) <= now ? 'ok' : 'missing'
  if (bytes !== null && size !== bytes) return 'differing'
  if (!isDeep || sha256 === null) return 'ok'
  const content = await storage.read(key, 0, size)
  if (content === null) return 'missing'
  const hash = createHash('sha256')
  for await (const chunk of content instanceof Blob ? content.stream() : content) hash.update(chunk)
  return hash.digest('hex') === sha256 ? 'ok' : 'differing'
}
