import { basename } from 'node:path'
import { siblingKey } from '../../domain/track/file/bytes.ts'
import { stem } from '../../domain/track/service.ts'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import {
  checkTokenAge,
  DELIVERY_SECONDS,
  DOWNLOAD_QUERY,
  type Verdict,
  verifyDelivery,
} from '../../platform/identity/signing.ts'
import { UUID_PATTERN } from '../../platform/schema/uuid.ts'
import { parseRange } from './range.ts'

interface Found {
  /** Storage key of the bytes. */
  key: string
  size: number
  sha256: string
  contentType: string
  /** File name for browsers. Sanitized for headers when it was stored. */
  fileName: string
  modified: Date
  secrets: string[]
}

/** The entry of a JSON column, at any of its first levels, that has the path `$1`. */
const entryOf = (column: string) => `jsonb_path_query(
    ${column}, 'strict $.**{1 to 2} ? (@.path == $path)', jsonb_build_object('path', $1::text), true) entry`
const ENTRY_COLUMNS = `entry->>'path' AS key, (entry->>'size')::bigint AS size, entry->>'sha256' AS sha256,
    entry->>'type' AS "contentType"`

const FILES = `track_file f
  JOIN track t ON t.id = f.track_id AND t.deleted_at IS NULL
  JOIN variant v ON v.id = f.variant_id AND v.deleted_at IS NULL
  JOIN organization o ON o.id = f.organization_id`

/** Finds a file by its path. */
const FIND_FILE = {
  name: 'find_delivered_file',
  text: `
  SELECT coalesce(f.storage_key, f.path) AS key, f.size, f.sha256, f.content_type AS "contentType",
    f.file_name AS "fileName", f.completed_at AS modified, o.signing_secrets AS secrets
  FROM ${FILES}
  WHERE f.path = $1 AND f.state = 'done'`,
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
  SELECT ${ENTRY_COLUMNS}, c.cover_uploaded_at AS modified, o.signing_secrets AS secrets
  FROM collection c
  JOIN organization o ON o.id = c.organization_id
  CROSS JOIN LATERAL ${entryOf('c.cover')}
  WHERE c.id = $2::uuid AND c.deleted_at IS NULL
  LIMIT 1`,
}
const FIND_ORGANIZATION_COVER = {
  name: 'find_organization_cover',
  text: `
  SELECT ${ENTRY_COLUMNS}, o.cover_uploaded_at AS modified, o.signing_secrets AS secrets
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

/** A browser that opens the link must be able to play or show the file (contract, section 6). */
const CONTENT_POLICY = "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'"

/**
 * Delivers a file by its signed URL.
 * @throws AppError `forbidden` (forged), `expired`, `not_found`
 * @see contract, section 6; RFC 9110, sections 13 and 14
 */
export async function deliver(services: Services, request: Request, url: URL): Promise<Response> {
  const now = Math.floor(services.clock().getTime() / 1000)
  const [, download, token = ''] = signedQuery.exec(url.search + url.hash) ?? []
  const isDownload = download !== undefined
  // Before any database access (contract, section 6). Expiry does not depend on the MAC.
  refuseUnless(checkTokenAge(token, now))
  const found = await findDelivered(services, url.pathname.slice(1))
  const signed = isDownload ? url.pathname + DOWNLOAD_QUERY : url.pathname
  // Without a file there is no secret to check against: unknown files and forged signatures look the same.
  if (!found) throw forbidden()
  refuseUnless(verifyDelivery(found.secrets, signed, token, now))

  const etag = `"${found.sha256}"`
  const secondsLeft = Math.max(0, Number(token.split('-')[0]) + DELIVERY_SECONDS - now)
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    etag,
    'last-modified': found.modified.toUTCString(),
    'cache-control': `private, max-age=${Math.min(secondsLeft, DELIVERY_SECONDS)}, no-transform`,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': CONTENT_POLICY,
  }
  if (!isAsExpected(request, etag, found.modified)) return new Response(null, { status: 412, headers })
  if (isUnchanged(request, etag, found.modified)) return new Response(null, { status: 304, headers })

  headers['content-type'] = found.contentType
  // RFC 9110, section 14.2: Range is defined for GET alone.
  const wanted = request.method === 'GET' ? usableRange(request, etag, found.modified) : null
  const range = parseRange(wanted, found.size)
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${found.size}` } })
  }
  const { start, end } = range ?? { start: 0, end: found.size }
  if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${found.size}`
  headers['content-length'] = String(end - start)
  headers['content-disposition'] = `${isDownload ? 'attachment' : 'inline'}; filename="${found.fileName}"`
  const status = range ? 206 : 200
  if (request.method === 'HEAD') return new Response(null, { status, headers })
  const body = await services.storage.read(found.key, start, end)
  if (!body) throw new AppError('not_found', 'path: the file is not in storage')
  services.metrics.deliveredBytes.inc(end - start)
  return new Response(body, { status, headers })
}

/** @throws AppError for any verdict but `valid` */
function refuseUnless(verdict: Verdict): void {
  if (verdict === 'forged') throw forbidden()
  if (verdict === 'expired') throw new AppError('expired', 'verify: this address has expired')
}

export const forbidden = () => new AppError('forbidden', 'verify: does not fit this address')

async function findDelivered({ pool }: Services, path: string): Promise<Found | null> {
  const [, organizationId, collectionId] = coverPath.exec(path) ?? []
  if (organizationId) {
    const findCover = collectionId ? FIND_COLLECTION_COVER : FIND_ORGANIZATION_COVER
    const { rows } = await pool.query({ ...findCover, values: [path, collectionId ?? organizationId] })
    return rows[0] ? toFound({ ...rows[0], fileName: basename(path) }) : null
  }
  const direct = await pool.query({ ...FIND_FILE, values: [path] })
  if (direct.rows[0]) return toFound(direct.rows[0])
  const [, base, suffix] = siblingPath.exec(path) ?? []
  if (base === undefined || suffix === undefined) return null
  const { rows } = await pool.query({ ...FIND_SIBLING, values: [path, base] })
  if (!rows[0]) return null
  const { main, fileName } = rows[0]
  return toFound({ ...rows[0], key: siblingKey(main, suffix), fileName: `${stem(fileName)}.${suffix}` })
}

const toFound = (row: Omit<Found, 'size'> & { size: string }): Found => ({ ...row, size: Number(row.size) })

/**
 * Returns whether the file is the version that If-Match, or without it If-Unmodified-Since, requires.
 * @see RFC 9110, sections 13.1.1, 13.1.4 and 13.2.2
 */
function isAsExpected({ headers }: Request, etag: string, modified: Date): boolean {
  const match = headers.get('if-match')
  // Weak tags never match in a strong comparison.
  if (match !== null) return match.split(',').some((tag) => ['*', etag].includes(tag.trim()))
  const since = Date.parse(headers.get('if-unmodified-since') ?? '')
  return !Number.isFinite(since) || Math.floor(modified.getTime() / 1000) * 1000 <= since
}

/** RFC 9110, section 13.2.2: If-None-Match first, If-Modified-Since only without it. */
function isUnchanged(request: Request, etag: string, modified: Date): boolean {
  const noneMatch = request.headers.get('if-none-match')
  if (noneMatch !== null) {
    return noneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  }
  const since = Date.parse(request.headers.get('if-modified-since') ?? '')
  return Number.isFinite(since) && Math.floor(modified.getTime() / 1000) * 1000 <= since
}

/**
 * Returns the Range header, or null if If-Range names another version and the whole file is requested (RFC 9110,
 * section 13.1.5).
 */
function usableRange(request: Request, etag: string, modified: Date): string | null {
  const condition = request.headers.get('if-range')
  if (condition === null) return request.headers.get('range')
  const isSame = condition.startsWith('"')
    ? condition === etag
    : Date.parse(condition) === Math.floor(modified.getTime() / 1000) * 1000
  return isSame ? request.headers.get('range') : null
}
