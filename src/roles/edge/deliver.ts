import { createFindDelivered, type Delivered } from '../../domain/delivery/find.ts'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { httpDate } from '../../platform/http/date.ts'
import { createDeliveryLimit, type DeliveryPlaces, type WithPlace } from './deliveries.ts'
import { parseRange } from './range.ts'

/** A browser that opens the link must be able to play or show the file (contract, section 6). */
const CONTENT_POLICY = "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'"
/** An SVG that a browser opens is a document. It gets an origin of its own, and runs and loads nothing. */
const SVG_POLICY = "default-src 'none'; sandbox"

export type Deliver = ReturnType<typeof createDeliver>

/** Headers and client of a request for a file, which the edge adds. */
interface Sender {
  /** Headers of every answer of the edge. */
  commonHeaders: Record<string, string>
  /** Returns the address block of the client, null if unknown. */
  client: () => string | null
}

/**
 * Creates a function that delivers a file by its signed URL. A known file is answered without waiting, because Bun sends
 * such an answer in one packet (decision 0015).
 * @param places numbers of deliveries from a bucket
 * @see contract, section 6; RFC 9110, sections 13 and 14
 */
export function createDeliver(services: Services, places: DeliveryPlaces) {
  const findDelivered = createFindDelivered(services)
  const withPlace = createDeliveryLimit(places)
  /** @throws AppError `forbidden` (forged), `expired`, `not_found`, `rate_limited`, `unavailable` without a place */
  return (request: Request, sentPath: string | undefined, sender: Sender): Response | Promise<Response> => {
    const delivery = findDelivered(request.url, sentPath, () => sender.client() ?? 'unknown')
    if (!(delivery instanceof Promise))
      return answer(services, request, { ...delivery, ...sender, withPlace, isNow: true })
    return delivery.then((delivered) => answer(services, request, { ...delivered, ...sender, withPlace, isNow: false }))
  }
}

interface Answered extends Delivered, Sender {
  withPlace: WithPlace
  /** Whether nothing was awaited. */
  isNow: boolean
}

function answer(services: Services, request: Request, delivered: Answered): Response | Promise<Response> {
  const { file, isDownload, secondsLeft, commonHeaders, isNow, client, withPlace } = delivered
  const etag = `"${file.sha256}"`
  const headers: Record<string, string> = {
    ...commonHeaders,
    // Bun sends each part of its own Date in a packet (oven-sh/bun#41341).
    date: httpDate(),
    'accept-ranges': 'bytes',
    etag,
    'last-modified': file.lastModified,
    'cache-control': `private, max-age=${secondsLeft}, no-transform`,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': file.contentType === 'image/svg+xml' ? SVG_POLICY : CONTENT_POLICY,
  }
  if (!isAsExpected(request, etag, file.lastModified)) return new Response(null, { status: 412, headers })
  if (isUnchanged(request, etag, file.lastModified)) return new Response(null, { status: 304, headers })

  headers['content-type'] = file.contentType
  // RFC 9110, section 14.2: Range is defined for GET alone.
  const rangeHeader = request.method === 'GET' ? usableRange(request, etag, file.lastModified) : null
  const range = parseRange(rangeHeader, file.size)
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${file.size}` } })
  }
  const { start, end } = range ?? { start: 0, end: file.size }
  if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${file.size}`
  headers['content-length'] = String(end - start)
  headers['content-disposition'] = `${isDownload ? 'attachment' : 'inline'}; filename="${file.fileName}"`
  const status = range ? 206 : 200
  if (request.method === 'HEAD') return new Response(null, { status, headers })
  if (isLeftToNginx(services, request)) {
    // nginx reads the range again, and sets these itself.
    for (const name of ['accept-ranges', 'content-range', 'content-length']) delete headers[name]
    services.metrics.deliveredBytes.inc(end - start)
    return new Response(null, { status: 200, headers: { ...headers, 'x-accel-redirect': `/stored/${file.key}` } })
  }
  const { storage, metrics } = services
  const send = (body: BodyInit | null) => {
    if (!body) throw new AppError('not_found', 'path: the file is not in storage')
    metrics.deliveredBytes.inc(end - start)
    return new Response(body, { status, headers })
  }
  // After an await, Bun would send bytes in many packets.
  const bytes = isNow ? storage.readNow?.(file.key, start, end) : null
  if (bytes) return send(bytes)
  const read = () => storage.read(file.key, start, end)
  // Bun sends files of a folder itself.
  if (storage.readNow) return read().then(send)
  const [, organizationId = ''] = new URL(request.url).pathname.split('/')
  return withPlace({ client: client(), organizationId }, read).then(send)
}

/** nginx compares If-Match and If-Unmodified-Since with the file's own time, so these answers have their bytes. */
const isLeftToNginx = ({ config }: Services, { headers }: Request) =>
  config.isAccelerated && !headers.has('if-match') && !headers.has('if-unmodified-since')

/**
 * Returns whether the file is the version that If-Match, or without it If-Unmodified-Since, requires.
 * @see RFC 9110, sections 13.1.1, 13.1.4 and 13.2.2
 */
function isAsExpected({ headers }: Request, etag: string, lastModified: string): boolean {
  const match = headers.get('if-match')
  // Weak tags never match in a strong comparison.
  if (match !== null) return match.split(',').some((tag) => ['*', etag].includes(tag.trim()))
  const since = headers.get('if-unmodified-since')
  // An invalid date is ignored.
  return since === null || !(Date.parse(lastModified) > Date.parse(since))
}

/** RFC 9110, section 13.2.2: If-None-Match first, If-Modified-Since only without it. */
function isUnchanged(request: Request, etag: string, lastModified: string): boolean {
  const noneMatch = request.headers.get('if-none-match')
  if (noneMatch !== null) {
    return noneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  }
  const since = request.headers.get('if-modified-since')
  return since !== null && Date.parse(lastModified) <= Date.parse(since)
}

/**
 * Returns the Range header, or null if If-Range names another version and the whole file is requested (RFC 9110,
 * section 13.1.5).
 */
function usableRange(request: Request, etag: string, lastModified: string): string | null {
  const condition = request.headers.get('if-range')
  if (condition === null) return request.headers.get('range')
  const isSame = condition.startsWith('"') ? condition === etag : Date.parse(condition) === Date.parse(lastModified)
  return isSame ? request.headers.get('range') : null
}
