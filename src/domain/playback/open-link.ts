import type { Services } from '../../platform/context.ts'
import { isUuid } from '../../platform/uuid.ts'
import { parseKey } from '../access/key/key.ts'
import { TRANSCRIPT_HEAD } from '../track/transcript/forms.ts'
import { namePassword, readSharePass } from './share-pass.ts'

/** A track that a stream link with a share key plays. */
export interface OpenTrack {
  id: string
  /** Of the file that plays. */
  variantId: string
  /** Tags of the recording that a page shows. Null without one. */
  title: string | null
  artist: string | null
  date: string | null
  /** First characters of the transcription. Null without one. */
  transcriptionHead: string | null
  /** Whether the link is the feed of one subscriber. */
  isPrivate: boolean
  /** Hosts that may show its player in a frame. Empty for any. */
  sites: string[]
  /** Whether its page offers the sound as a file. */
  isDownloadable: boolean
}

/** A valid share key, as the row that `ledger.open_link` takes, in the text format of PostgreSQL. */
interface OpenShare {
  row: string
  variantId: string
  trackId: string | null
  isPrivate: boolean
  sites: string[]
  isDownloadable: boolean
}

/**
 * Finds a track whose stream link with a share key is open now. Counts nothing.
 * @returns null for any other key or track
 */
export async function findOpenTrack(services: Services, trackId: string, apiKey: string): Promise<OpenTrack | null> {
  const share = isUuid(trackId) ? await findOpenShare(services, apiKey) : null
  if (!share) return null
  const [track] = await services.db.$queryRaw<OpenTrack[]>`
    SELECT t.id, ${share.variantId} AS "variantId", t.info -> 'tags' ->> 'title' AS title,
      t.info -> 'tags' ->> 'artist' AS artist, t.info -> 'tags' ->> 'date' AS date,
      nullif(left(t.transcription, ${TRANSCRIPT_HEAD}), '') AS "transcriptionHead", ${share.isPrivate}::boolean AS "isPrivate",
      ${share.sites}::text[] AS sites, ${share.isDownloadable}::boolean AS "isDownloadable"
    FROM track t CROSS JOIN LATERAL ledger.open_link(${share.row}::api_key, t.id) l WHERE t.id = ${trackId}::uuid`
  return track ?? null
}

/**
 * Lists the tracks of a collection whose stream links with a share key are open now, in the order of the collection.
 * @param take maximum number of tracks
 * @returns an empty list for any other key or collection, and for a key of a single track
 */
export async function listOpenTracks(
  services: Services,
  collectionId: string,
  apiKey: string,
  take: number,
): Promise<OpenTrack[]> {
  const share = isUuid(collectionId) ? await findOpenShare(services, apiKey) : null
  if (!share || share.trackId !== null) return []
  return services.db.$queryRaw<OpenTrack[]>`
    SELECT t.id, ${share.variantId} AS "variantId", t.info -> 'tags' ->> 'title' AS title,
      t.info -> 'tags' ->> 'artist' AS artist, t.info -> 'tags' ->> 'date' AS date,
      nullif(left(t.transcription, ${TRANSCRIPT_HEAD}), '') AS "transcriptionHead", ${share.isPrivate}::boolean AS "isPrivate",
      ${share.sites}::text[] AS sites, ${share.isDownloadable}::boolean AS "isDownloadable"
    FROM track t CROSS JOIN LATERAL ledger.open_link(${share.row}::api_key, t.id) l
    WHERE t.collection_id = ${collectionId}::uuid AND t.deleted_at IS NULL ORDER BY t."order", t.id LIMIT ${take}`
}

/**
 * Returns the time from which a share key opens its links, for a listener who has it.
 * @returns null for a key that is open, and for any that will not open
 */
export async function findOpening({ db, clock }: Services, apiKey: string): Promise<Date | null> {
  const parsed = parseKey(apiKey)
  if (parsed?.kind !== 'share') return null
  const now = clock()
  const unended = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }
  const where = { hash: parsed.hash, opensAt: { gt: now }, variant: { deletedAt: null }, ...unended }
  return (await db.apiKey.findFirst({ where, select: { opensAt: true } }))?.opensAt ?? null
}

/** A client that opens a page of a share link. */
export interface LinkVisitor {
  /** ISO 3166-1 alpha-2. Null if unknown. */
  country: string | null
  /** The Cookie header. */
  cookie: string | null
}

/** Why the pages of a link are closed to a client. With a password, the stored hash. */
export type LinkClosure = { refusal: 'country' } | { refusal: 'password'; passwordHash: string; keyHash: string }

/** Whether a client may open the pages of a share link. */
export interface LinkAccess {
  /** Null for an open page. */
  closure: LinkClosure | null
  /** Whether it depends on the client, so that no shared cache may store an answer. */
  isPersonal: boolean
}

const unlimitedAccess: LinkAccess = { closure: null, isPersonal: false }

/**
 * Finds whether a client may open the pages of a share key. The limits that are counted close no page: a listener who has played goes
 * on. A key that opens nothing has no limits either.
 */
export async function findAccess(
  services: Services,
  apiKey: string,
  { country, cookie }: LinkVisitor,
): Promise<LinkAccess> {
  const parsed = parseKey(apiKey)
  if (parsed?.kind !== 'share') return unlimitedAccess
  const now = services.clock()
  const [share] = await services.db.$queryRaw<{ countries: string[]; passwordHash: string | null }[]>`
    SELECT k.countries, k.password_hash AS "passwordHash" FROM ledger.open_share(${parsed.hash}, ${now}::timestamptz) k`
  const { countries = [], passwordHash = null } = share ?? {}
  if (countries.length === 0 && passwordHash === null) return unlimitedAccess
  const isInside = countries.length === 0 || (country !== null && countries.includes(country))
  if (!isInside) return { closure: { refusal: 'country' }, isPersonal: true }
  const isUnlocked =
    passwordHash === null || readSharePass(services, cookie, parsed.hash, now) === namePassword(passwordHash)
  const closure = isUnlocked ? null : ({ refusal: 'password', passwordHash, keyHash: parsed.hash } as const)
  return { closure, isPersonal: true }
}

async function findOpenShare({ db, clock }: Services, apiKey: string): Promise<OpenShare | null> {
  const parsed = parseKey(apiKey)
  if (parsed?.kind !== 'share') return null
  const [share] = await db.$queryRaw<OpenShare[]>`
    SELECT k::text AS row, k.variant_id AS "variantId", k.track_id AS "trackId", k.is_private_feed AS "isPrivate",
      k.sites, k.is_downloadable AS "isDownloadable"
    FROM ledger.open_share(${parsed.hash}, ${clock()}::timestamptz) k`
  return share ?? null
}
