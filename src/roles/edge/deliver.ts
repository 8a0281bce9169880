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
  /** Where the bytes lie. */
  key: string
  size: number
  sha256: string
  contentType: string
  /** The name that a browser saves the file under. Made safe for headers when it was stored. */
  fileName: string
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
  SELECT coalesce(f.storage_key, f.path) AS main, f.file_name AS "fileName", (p->>'size')::bigint AS size, p->>'sha256' AS sha256,
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

/** `{organization id}/cover.…`, or `{organization id}/{collection id}/cover.…`, before the last a creator's folder. */
const coverPath = new RegExp(`^(${UUID_PATTERN})(?:(?:/${UUID_PATTERN})?/(${UUID_PATTERN}))?/cover\\.[a-z.]+$`)
/** What lies beside a file: its stem and what tells it apart. */
const partPath = /^([^.]*)\.([a-z.]+)$/

/** The query of a signed URL: `verify` last, in front of it nothing but what asks for a download. */
const signedQuery = /^\?(download=1&)?verify=([^&]*)$/

/** A browser that opens the link must play the file or show it (contract, section 6). */
const CONTENT_POLICY = "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'"

/**
 * Delivers a file to the holder of a signed URL.
 * @throws AppError `forbidden` (forged), `expired`, `not_found`
 * @see contract, section 6; RFC 9110, sections 13 and 14
 */
export async function deliver(services: Services, request: Request, url: URL): Promise<Response> {
  const now = Math.floor(services.clock().getTime() / 1000)
  const [, download, token = ''] = signedQuery.exec(url.search + url.hash) ?? []
  const isDownload = download !== undefined
  // Before any database access (contract, section 6). Expiry does not depend on the MAC.
  refuseUnless(checkTokenAge(token, now))
  const found = await lookUp(services, url.pathname.slice(1))
  const signed = isDownload ? url.pathname + DOWNLOAD_QUERY : url.pathname
  // Without a file there is no secret to check against: unknown and forged look the same.
  if (!found) throw forbidden()
  refuseUnless(verifyDelivery(found.secrets, signed, token, now))

  const etag = `"${found.sha256}"`
  const left = Math.max(0, Number(token.split('-')[0]) + DELIVERY_SECONDS - now)
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    etag,
    'last-modified': found.modified.toUTCString(),
    'cache-control': `private, max-age=${Math.min(left, DELIVERY_SECONDS)}, no-transform`,
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

async function lookUp(services: Services, path: string): Promise<Found | null> {
  const direct = await services.pool.query({ ...LOOK_UP, values: [path] })
  if (direct.rows[0]) return toFound(direct.rows[0])
  const [, organizationId, collectionId] = coverPath.exec(path) ?? []
  if (organizationId) {
    const lookUpCover = collectionId ? LOOK_UP_COLLECTION_COVER : LOOK_UP_ORGANIZATION_COVER
    const { rows } = await services.pool.query({ ...lookUpCover, values: [path, collectionId ?? organizationId] })
    return rows[0] ? toFound({ ...rows[0], fileName: basename(path) }) : null
  }
  const [, base, suffix] = partPath.exec(path) ?? []
  if (base === undefined || suffix === undefined) return null
  const { rows } = await services.pool.query({ ...LOOK_UP_PART, values: [path, base] })
  if (!rows[0]) return null
  const { main, fileName } = rows[0]
  return toFound({ ...rows[0], key: siblingKey(main, suffix), fileName: `${stem(fileName)}.${suffix}` })
}

const toFound = (row: Omit<Found, 'size'> & { size: string }): Found => ({ ...row, size: Number(row.size) })

/**
 * Whether the file is the version that If-Match, or without it If-Unmodified-Since, demands.
 * @see RFC 9110, sections 13.1.1, 13.1.4 and 13.2.2
 */
function isAsExpected({ headers }: Request, etag: string, modified: Date): boolean {
  const match = headers.get('if-match')
  // Weak tags never match: the comparison is the strong one.
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

/** The Range header, unless If-Range names another version: then the whole file is meant (RFC 9110, section 13.1.5). */
function usableRange(request: Request, etag: string, modified: Date): string | null {
  const condition = request.headers.get('if-range')
  if (condition === null) return request.headers.get('range')
  const isSame = condition.startsWith('"')
    ? condition === etag
    : Date.parse(condition) === Math.floor(modified.getTime() / 1000) * 1000
  return isSame ? request.headers.get('range') : null
}
