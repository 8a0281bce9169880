import { basename } from 'node:path'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { createAttempts } from '../../platform/http/attempts.ts'
import { Recent } from '../../platform/recent.ts'
import { UUID_PATTERN } from '../../platform/uuid.ts'
import {
  createKnownFiles,
  type DeliveredFile,
  ENTRY_COLUMNS,
  type FileRow,
  type Found,
  findEntry,
  toDeliveredFile,
} from './known-files.ts'
import { openSecret } from './secret.ts'
import { checkTokenAge, DELIVERY_SECONDS, type DeliveryVerdict, DOWNLOAD_QUERY, verifyDelivery } from './token.ts'

const COVER_COLUMNS = `${ENTRY_COLUMNS}, entry->>'key' AS key, (entry->>'storedAt')::timestamptz AS modified`

const FIND_COLLECTION_COVER = {
  name: 'find_collection_cover',
  text: `
  SELECT ${COVER_COLUMNS}, o.signing_secrets AS secrets
  FROM collection c
  JOIN organization o ON o.id = c.organization_id
  CROSS JOIN LATERAL ${findEntry('c.cover', '$1::text')}
  WHERE c.id = $2::uuid AND c.deleted_at IS NULL
  LIMIT 1`,
}
const FIND_ORGANIZATION_COVER = {
  name: 'find_organization_cover',
  text: `
  SELECT ${COVER_COLUMNS}, o.signing_secrets AS secrets
  FROM organization o
  CROSS JOIN LATERAL ${findEntry('o.cover', '$1::text')}
  WHERE o.id = $2::uuid
  LIMIT 1`,
}

/**
 * Path of a cover: `{organization id}/cover.…`, or `{organization id}/{collection id}/cover.…`, with an optional
 * creator's folder before the collection.
 */
const coverPath = new RegExp(`^(${UUID_PATTERN})(?:(?:/${UUID_PATTERN})?/(${UUID_PATTERN}))?/cover\\.[a-z.]+$`)
/** Look-ups of a client that are refused, before the next ones are refused without a look-up. In the memory of a process. */
const MAX_REFUSALS = 600
const REFUSALS_SECONDS = 60

/** Query of a signed URL: `verify` last, preceded only by the request for a download. */
const signedQuery = /^\?(download=1&)?verify=([^&]*)$/

export interface Delivered {
  file: DeliveredFile
  /** Whether a browser saves it. */
  isDownload: boolean
  /** Rest of the address's lifetime. */
  secondsLeft: number
}

/** An address whose signature fits the file. Both are valid as long as this very file is known. */
interface Checked extends Pick<Delivered, 'file' | 'isDownload'> {
  sentPath: string | undefined
  path: string
  /** Unix seconds. */
  issued: number
}

/** About 20 MB, with addresses of a usual length. */
const MAX_CHECKED = 20_000
/** Longer ones are checked each time: a client may send any host. */
const MAX_ADDRESS = 1024

export type FindDelivered = ReturnType<typeof createFindDelivered>

/** Creates a function that finds files by their signed addresses. Files of tracks are kept for a moment (`known-files.ts`). */
export function createFindDelivered(services: Services) {
  const files = createKnownFiles(services)
  const checked = new Recent<Checked>(MAX_CHECKED)
  const refusals = services.config.isRateLimited ? createAttempts(MAX_REFUSALS, REFUSALS_SECONDS) : null

  /** @throws AppError `rate_limited` for a client with too many addresses that did not fit any file */
  function checkRefusals(client: string): void {
    const waitMs = refusals?.waitMs(client) ?? 0
    if (waitMs <= 0) return
    services.metrics.rateLimited.inc({ limit: 'delivery' })
    throw new AppError('rate_limited', `Too many requests: ${MAX_REFUSALS} refused addresses per minute are allowed.`, {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    })
  }

  async function find(path: string): Promise<Found | null> {
    const { pool } = services
    const [, organizationId, collectionId] = coverPath.exec(path) ?? []
    if (organizationId) {
      const findCover = collectionId ? FIND_COLLECTION_COVER : FIND_ORGANIZATION_COVER
      const { rows } = await pool.query({ ...findCover, values: [path, collectionId ?? organizationId] })
      return rows[0] ? toDeliveredFile<FileRow<Found>>({ ...rows[0], fileName: basename(path) }) : null
    }
    return (await files.find(path)) ?? null
  }

  /** @returns null unless this address was checked before, and its file is known and has not changed since */
  function recall(address: string, sentPath: string | undefined, now: number): Delivered | null {
    const checkedAddress = checked.get(address)
    if (!checkedAddress || checkedAddress.sentPath !== sentPath || now - checkedAddress.issued > DELIVERY_SECONDS)
      return null
    return files.recall(checkedAddress.path) === checkedAddress.file
      ? deliveredUntil(checkedAddress.issued, now, checkedAddress)
      : null
  }

  /**
   * Returns the file of a signed address, at once if it is known. A malformed, future-dated or expired token is refused
   * before any database access.
   * @param sentPath exactly as the client sent it, if known: `address` has its dot segments resolved
   * @param clientOf returns the address block of the client. Each has a number of refused look-ups per minute
   * @throws AppError `forbidden` (forged or unknown), `expired`, `rate_limited`
   * @see contract, section 6
   */
  return (
    address: string,
    sentPath?: string,
    clientOf: () => string = () => 'unknown',
  ): Delivered | Promise<Delivered> => {
    const now = Math.floor(services.clock().getTime() / 1000)
    const recalled = recall(address, sentPath, now)
    if (recalled) return recalled
    const url = new URL(address)
    // The path is signed exactly as in the URL (contract, section 6).
    if (sentPath !== undefined && sentPath !== url.pathname) throw forbidden()
    const [, download, token = ''] = signedQuery.exec(url.search + url.hash) ?? []
    const isDownload = download !== undefined
    // Expiry does not depend on the MAC.
    refuseUnless(checkTokenAge(token, now))
    const path = url.pathname.slice(1)
    const verdict = ({ secrets }: Found) => {
      const opened = secrets.map((secret) => openSecret(services, secret))
      return verifyDelivery(opened, signedPath(url, isDownload), token, now)
    }
    const issued = Number(token.split('-')[0])
    const knownFile = files.recall(path)
    // If the file is known for longer than the secret, the database has to be asked.
    if (knownFile && verdict(knownFile) === 'valid') {
      if (address.length <= MAX_ADDRESS) checked.set(address, { sentPath, path, file: knownFile, isDownload, issued })
      return deliveredUntil(issued, now, { file: knownFile, isDownload })
    }
    const client = refusals ? clientOf() : ''
    const servedFile = files.peek(path)
    // An address that fitted before is looked up for any client.
    if (!servedFile || verdict(servedFile) !== 'valid') checkRefusals(client)
    return find(path).then((file) => {
      // Without a file there is no secret to check against: unknown files and forged signatures look the same.
      if (!file || verdict(file) === 'forged') {
        refusals?.count(client)
        throw forbidden()
      }
      refuseUnless(verdict(file))
      return deliveredUntil(issued, now, { file, isDownload })
    })
  }
}

const deliveredUntil = (
  issued: number,
  now: number,
  { file, isDownload }: Pick<Delivered, 'file' | 'isDownload'>,
): Delivered => ({
  file,
  isDownload,
  secondsLeft: Math.min(Math.max(0, issued + DELIVERY_SECONDS - now), DELIVERY_SECONDS),
})

const signedPath = ({ pathname }: URL, isDownload: boolean) => (isDownload ? pathname + DOWNLOAD_QUERY : pathname)

/** @throws AppError for any verdict but `valid` */
function refuseUnless(verdict: DeliveryVerdict): void {
  if (verdict === 'forged') throw forbidden()
  if (verdict === 'expired') throw new AppError('expired', 'verify: this address has expired')
}

export const forbidden = () => new AppError('forbidden', 'verify: does not fit this address')
