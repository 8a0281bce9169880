import { besideOf } from '../../domain/track/file/bytes.ts'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { DELIVERY_SECONDS, DOWNLOAD_QUERY, verifyDelivery } from '../../platform/signing.ts'
import { parseRange } from './range.ts'

interface Found {
  /** Where the bytes lie. */
  key: string
  size: number
  sha256: string
  contentType: string
  /** For a download; what lies beside a file has none. */
  fileName?: string
  modified: Date
  secrets: string[]
}

/** A file that may be delivered, by its path. */
const LOOK_UP = {
  name: 'look_up_delivery',
  text: `
  SELECT coalesce(f.storage_key, f.path) AS key, f.size, f.sha256, f.content_type AS "contentType", f.file_name AS "fileName", f.completed_at AS modified, o.signing_secrets AS secrets
  FROM track_file f
  JOIN track t ON t.id = f.track_id AND t.deleted_at IS NULL
  JOIN variant v ON v.id = f.variant_id AND v.deleted_at IS NULL
  JOIN organization o ON o.id = f.organization_id
  WHERE f.path = $1 AND f.state = 'done'`,
}
/** What lies beside a file: the sizes of a cover and their other formats, and what `data` names with a path else. */
const LOOK_UP_PART = {
  name: 'look_up_part',
  text: `
  SELECT coalesce(f.storage_key, f.path) AS main, (p->>'size')::bigint AS size, p->>'sha256' AS sha256,
         p->>'type' AS "contentType", f.completed_at AS modified, o.signing_secrets AS secrets
  FROM track_file f
  JOIN track t ON t.id = f.track_id AND t.deleted_at IS NULL
  JOIN variant v ON v.id = f.variant_id AND v.deleted_at IS NULL
  JOIN organization o ON o.id = f.organization_id
  CROSS JOIN LATERAL jsonb_path_query(f.data, 'strict $.**{1 to 2} ? (@.path == $path)', jsonb_build_object('path', $1::text), true) p
  WHERE f.path IN ($2 || '.jpg', $2 || '.json') AND f.state = 'done'
  LIMIT 1`,
}
const LOOK_UP_COLLECTION_COVER = {
  name: 'look_up_collection_cover',
  text: `
  SELECT s->>'path' AS key, (s->>'size')::bigint AS size, s->>'sha256' AS sha256, s->>'type' AS "contentType",
         c.cover_uploaded_at AS modified, o.signing_secrets AS secrets
  FROM collection c
  JOIN organization o ON o.id = c.organization_id
  CROSS JOIN LATERAL jsonb_path_query(c.cover, 'strict $.**{1 to 2} ? (@.path == $path)', jsonb_build_object('path', $1::text), true) s
  WHERE c.id = $2::uuid AND c.deleted_at IS NULL
  LIMIT 1`,
}
const LOOK_UP_ORGANIZATION_COVER = {
  name: 'look_up_organization_cover',
  text: `
  SELECT s->>'path' AS key, (s->>'size')::bigint AS size, s->>'sha256' AS sha256, s->>'type' AS "contentType",
         o.cover_uploaded_at AS modified, o.signing_secrets AS secrets
  FROM organization o
  CROSS JOIN LATERAL jsonb_path_query(o.cover, 'strict $.**{1 to 2} ? (@.path == $path)', jsonb_build_object('path', $1::text), true) s
  WHERE o.id = $2::uuid
  LIMIT 1`,
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** `{organization id}/cover.…`, or `{organization id}/{collection id}/cover.…`, before the last a creator's folder. */
const coverPath = new RegExp(`^(${UUID})(?:(?:/${UUID})?/(${UUID}))?/cover\\.[a-z.]+$`)
/** What lies beside a file: its stem and what tells it apart. */
const partPath = /^([^.]*)\.([a-z.]+)$/

/**
 * Delivers a file to the holder of a signed address.
 * @throws AppError `forbidden` (forged), `expired`, `not_found`
 * @see contract, section 6; RFC 9110, sections 13 and 14
 */
export async function deliver(services: Services, request: Request, url: URL): Promise<Response> {
  const path = url.pathname.slice(1)
  const now = Math.floor(services.clock().getTime() / 1000)
  const token = url.searchParams.get('verify') ?? ''
  const found = await lookUp(services, path)
  const isDownload = url.search.startsWith(`${DOWNLOAD_QUERY}&`)
  const signed = isDownload ? url.pathname + DOWNLOAD_QUERY : url.pathname
  // Without a file there is no secret to check against: unknown and forged look the same.
  const verdict = found ? verifyDelivery(found.secrets, signed, token, now) : 'forged'
  if (!found || verdict === 'forged') throw new AppError('forbidden', 'verify: does not fit this address')
  if (verdict === 'expired') throw new AppError('expired', 'verify: this address has expired')

  const etag = `"${found.sha256}"`
  const left = Math.max(0, Number(token.split('-')[0]) + DELIVERY_SECONDS - now)
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    etag,
    'last-modified': found.modified.toUTCString(),
    'cache-control': `private, max-age=${Math.min(left, DELIVERY_SECONDS)}, no-transform`,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; sandbox",
    ...(isDownload && { 'content-disposition': disposition(found) }),
  }
  if (isUnchanged(request, etag, found.modified)) return new Response(null, { status: 304, headers })

  headers['content-type'] = found.contentType
  const range = parseRange(usableRange(request, etag, found.modified), found.size)
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${found.size}` } })
  }
  const { start, end } = range ?? { start: 0, end: found.size }
  if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${found.size}`
  headers['content-length'] = String(end - start)
  const status = range ? 206 : 200
  if (request.method === 'HEAD') return new Response(null, { status, headers })
  const body = await services.storage.read(found.key, start, end)
  if (!body) throw new AppError('not_found', 'path: the file is not in storage')
  services.metrics.deliveredBytes.inc(end - start)
  return new Response(body, { status, headers })
}

/** Names were made safe for headers when they were stored. */
const disposition = ({ fileName }: Found) => `attachment${fileName ? `; filename="${fileName}"` : ''}`

async function lookUp(services: Services, path: string): Promise<Found | null> {
  const direct = await services.pool.query({ ...LOOK_UP, values: [path] })
  if (direct.rows[0]) return toFound(direct.rows[0])
  const [, organizationId, collectionId] = coverPath.exec(path) ?? []
  if (organizationId) {
    const lookUpCover = collectionId ? LOOK_UP_COLLECTION_COVER : LOOK_UP_ORGANIZATION_COVER
    const { rows } = await services.pool.query({ ...lookUpCover, values: [path, collectionId ?? organizationId] })
    return rows[0] ? toFound(rows[0]) : null
  }
  const [, stem, suffix] = partPath.exec(path) ?? []
  if (stem === undefined || suffix === undefined) return null
  const { rows } = await services.pool.query({ ...LOOK_UP_PART, values: [path, stem] })
  return rows[0] ? toFound({ ...rows[0], key: besideOf(rows[0].main, suffix) }) : null
}

const toFound = (row: Omit<Found, 'size'> & { size: string }): Found => ({ ...row, size: Number(row.size) })

/** RFC 9110, section 13.2.2: If-None-Match first, If-Modified-Since only without it. */
function isUnchanged(request: Request, etag: string, modified: Date): boolean {
  const noneMatch = request.headers.get('if-none-match')
  if (noneMatch !== null) {
    return noneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  }
  const since = Date.parse(request.headers.get('if-modified-since') ?? '')
  return Number.isFinite(since) && Math.floor(modified.getTime() / 1000) * 1000 <= since
}

/** The Range header, unless If-Range names another version: then the whole file is meant (RFC 9110, section 13.1.5). */
function usableRange(request: Request, etag: string, modified: Date): string | null {
  const condition = request.headers.get('if-range')
  if (condition === null) return request.headers.get('range')
  const isSame = condition.startsWith('"')
    ? condition === etag
    : Date.parse(condition) === Math.floor(modified.getTime() / 1000) * 1000
  return isSame ? request.headers.get('range') : null
}
