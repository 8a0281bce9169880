import { basename } from 'node:path'
import type { Pool } from 'pg'
import type { Services } from '../../platform/context.ts'
import { batched } from '../../platform/db/batched.ts'
import { AppError } from '../../platform/errors.ts'
import { UUID_PATTERN } from '../../platform/schema/uuid.ts'
import { siblingKey, withoutExtension } from './name.ts'
import { checkTokenAge, DELIVERY_SECONDS, DOWNLOAD_QUERY, type Verdict, verifyDelivery } from './token.ts'

/** A file that may be delivered. */
export interface DeliveredFile {
  /** Storage key of the bytes. */
  key: string
  size: number
  sha256: string
  contentType: string
  /** File name for browsers. Sanitized for headers when it was stored. */
  fileName: string
  modified: Date
}

interface Found extends DeliveredFile {
  /** Signing secrets of the organization, the one that signs first. */
  secrets: string[]
}

/** The entry of a JSON column, at any of its first levels, that has the path `$1`. */
const entryOf = (column: string) => `jsonb_path_query(
    ${column}, 'strict $.**{1 to 2} ? (@.path == $path)', jsonb_build_object('path', $1::text), true) entry`
const ENTRY_COLUMNS = `coalesce(entry->>'key', entry->>'path') AS key, (entry->>'size')::bigint AS size, entry->>'sha256' AS sha256,
    entry->>'type' AS "contentType"`

const FILES = `track_file f
  JOIN track t ON t.id = f.track_id AND t.deleted_at IS NULL
  JOIN collection c ON c.id = t.collection_id AND c.deleted_at IS NULL
  JOIN variant v ON v.id = f.variant_id AND v.deleted_at IS NULL
  JOIN organization o ON o.id = f.organization_id`

/** Finds files by their paths. */
const FIND_FILES = {
  name: 'find_delivered_files',
  text: `
  SELECT f.path, coalesce(f.storage_key, f.path) AS key, f.size, f.sha256, f.content_type AS "contentType",
    f.file_name AS "fileName", f.completed_at AS modified, o.signing_secrets AS secrets
  FROM ${FILES}
  WHERE f.path = ANY ($1::text[]) AND f.state = 'done'`,
}
/** Finds a sibling file: a size or format of a cover, or another file that `data` contains. $2 is the path's stem. */
const FIND_SIBLING = {
  name: 'find_sibling_file',
  text: `
  SELECT ${ENTRY_COLUMNS}, coalesce(f.storage_key, f.path) AS main, f.file_name AS "fileName",
    f.completed_at AS modified, o.signing_secrets AS secrets
  FROM ${FILES}
  CROSS JOIN LATERAL ${entryOf('f.data')}
  WHERE f.path IN ($2 || '.jpg', $2 || '.json') AND f.state = 'done'
  LIMIT 1`,
}
const FIND_COLLECTION_COVER = {
  name: 'find_collection_cover',
  text: `
  SELECT ${ENTRY_COLUMNS}, coalesce((entry->>'storedAt')::timestamptz, c.cover_uploaded_at) AS modified, o.signing_secrets AS secrets
  FROM collection c
  JOIN organization o ON o.id = c.organization_id
  CROSS JOIN LATERAL ${entryOf('c.cover')}
  WHERE c.id = $2::uuid AND c.deleted_at IS NULL
  LIMIT 1`,
}
const FIND_ORGANIZATION_COVER = {
  name: 'find_organization_cover',
  text: `
  SELECT ${ENTRY_COLUMNS}, coalesce((entry->>'storedAt')::timestamptz, o.cover_uploaded_at) AS modified, o.signing_secrets AS secrets
  FROM organization o
  CROSS JOIN LATERAL ${entryOf('o.cover')}
  WHERE o.id = $2::uuid
  LIMIT 1`,
}

/**
 * Path of a cover: `{organization id}/cover.…`, or `{organization id}/{collection id}/cover.…`, with an optional
 * creator's folder before the collection.
 */
const coverPath = new RegExp(`^(${UUID_PATTERN})(?:(?:/${UUID_PATTERN})?/(${UUID_PATTERN}))?/cover\\.[a-z.]+$`)
/** Path of a sibling file: stem and suffix. */
const siblingPath = /^([^.]*)\.([a-z.]+)$/

/** Query of a signed URL: `verify` last, preceded only by the request for a download. */
const signedQuery = /^\?(download=1&)?verify=([^&]*)$/

interface Delivered {
  file: DeliveredFile
  /** Whether a browser saves it. */
  isDownload: boolean
  /** Rest of the address's lifetime. */
  secondsLeft: number
}

/**
 * Returns the file of a signed address. A malformed or expired token is refused before any database access.
 * @param url with its path exactly as the client sent it
 * @throws AppError `forbidden` (forged or unknown), `expired`
 * @see contract, section 6
 */
export async function findDelivered(services: Services, url: URL): Promise<Delivered> {
  const now = Math.floor(services.clock().getTime() / 1000)
  const [, download, token = ''] = signedQuery.exec(url.search + url.hash) ?? []
  const isDownload = download !== undefined
  // Expiry does not depend on the MAC.
  const age = checkTokenAge(token, now)
  if (age === 'early') await reportSkew(services, url, token, now)
  refuseUnless(age)
  const found = await find(services, url.pathname.slice(1))
  // Without a file there is no secret to check against: unknown files and forged signatures look the same.
  if (!found) throw forbidden()
  refuseUnless(verifyDelivery(found.secrets, signedPath(url, isDownload), token, now))
  const secondsLeft = Number(token.split('-')[0]) + DELIVERY_SECONDS - now
  return { file: found, isDownload, secondsLeft: Math.min(Math.max(0, secondsLeft), DELIVERY_SECONDS) }
}

const signedPath = ({ pathname }: URL, isDownload: boolean) => (isDownload ? pathname + DOWNLOAD_QUERY : pathname)

/** Interval at which a token from the future is looked at. */
const SKEW_MS = 60_000
const examined = new WeakMap<Services['log'], number>()

/** Logs the difference of the clocks, at most once a minute, if the token was issued here. Anyone can forge its time. */
async function reportSkew(services: Services, url: URL, token: string, now: number): Promise<void> {
  const ms = services.clock().getTime()
  if (Math.abs(ms - (examined.get(services.log) ?? 0)) < SKEW_MS) return
  examined.set(services.log, ms)
  const issued = Number(token.split('-')[0])
  const found = await find(services, url.pathname.slice(1))
  const path = signedPath(url, url.search.startsWith(DOWNLOAD_QUERY))
  if (!found || verifyDelivery(found.secrets, path, token, issued) !== 'valid') return
  const seconds = issued - now
  services.log.warn(
    { seconds },
    `a delivery address was issued ${seconds} s in the future: the clocks of the processes differ`,
  )
}

/** @throws AppError for any verdict but `valid` */
function refuseUnless(verdict: Verdict): void {
  if (verdict === 'forged' || verdict === 'early') throw forbidden()
  if (verdict === 'expired') throw new AppError('expired', 'verify: this address has expired')
}

export const forbidden = () => new AppError('forbidden', 'verify: does not fit this address')

const MAX_BATCH = 500
const finders = new WeakMap<Pool, (path: string) => Promise<Found | undefined>>()

/** Finds a file by its path. Requests that arrive while a statement is running share the next one. Nothing is cached. */
function findFile(pool: Pool, path: string): Promise<Found | undefined> {
  const find = finders.get(pool) ?? batched((paths: readonly string[]) => findAll(pool, paths), { max: MAX_BATCH })
  finders.set(pool, find)
  return find(path)
}

/** @returns in the order of the paths; undefined for an unknown one */
async function findAll(pool: Pool, paths: readonly string[]) {
  const { rows } = await pool.query({ ...FIND_FILES, values: [[...new Set(paths)]] })
  const byPath = new Map<string, Found>(rows.map((row) => [row.path, toFound(row)]))
  return paths.map((path) => byPath.get(path))
}

async function find({ pool }: Services, path: string): Promise<Found | null> {
  const [, organizationId, collectionId] = coverPath.exec(path) ?? []
  if (organizationId) {
    const findCover = collectionId ? FIND_COLLECTION_COVER : FIND_ORGANIZATION_COVER
    const { rows } = await pool.query({ ...findCover, values: [path, collectionId ?? organizationId] })
    return rows[0] ? toFound({ ...rows[0], fileName: basename(path) }) : null
  }
  const direct = await findFile(pool, path)
  if (direct) return direct
  const [, base, suffix] = siblingPath.exec(path) ?? []
  if (base === undefined || suffix === undefined) return null
  const { rows } = await pool.query({ ...FIND_SIBLING, values: [path, base] })
  if (!rows[0]) return null
  const { main, fileName } = rows[0]
  return toFound({ ...rows[0], key: siblingKey(main, suffix), fileName: `${withoutExtension(fileName)}.${suffix}` })
}

const toFound = (row: Omit<Found, 'size'> & { size: string }): Found => ({ ...row, size: Number(row.size) })
