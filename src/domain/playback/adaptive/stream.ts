import type { Services } from '../../../platform/context.ts'
import { batched } from '../../../platform/db/batched.ts'
import { AppError } from '../../../platform/errors.ts'
import { readSegments } from '../../../platform/media/formats/cmaf.ts'
import { Recent } from '../../../platform/recent.ts'
import { isUuid } from '../../../platform/uuid.ts'
import { parseKey } from '../../access/key/key.ts'
import { type Delivery, signedUrl } from '../../delivery/address.ts'
import { findSuffix, siblingKey } from '../../delivery/name.ts'
import { finishedFiles, withDomain } from '../../track/service.ts'
import { type AdaptiveGrant, GRANT_SECONDS, type PlaylistForm, playlistNames, playlistUrl } from '../adaptive-grant.ts'
import { listPlayingFiles } from '../session/playback.ts'
import { getPlaySession, sessionTracksWhere } from '../session/service.ts'
import { type AdaptiveRate, nameFile, writeManifest, writeMasterPlaylist, writeMediaPlaylist } from './playlist.ts'

/** An adaptive stream that may be read now. */
interface AdaptiveStream extends Delivery {
  /** Storage key of its best file. */
  storageKey: string
  durationSeconds: number
  sampleRate: number
  channels: number
  rates: AdaptiveRate[]
}

/** Columns of a file, and of its organization. */
interface StreamRow extends Delivery {
  storageKey: string | null
  data: unknown
  props: unknown
}
/** As stored. */
interface StreamData {
  duration: number
  rates: Record<
    string,
    {
      path: string
      is_main: boolean
      average_bitrate: number
      peak_bitrate: number
      header_bytes: number
      index_bytes: number
    }
  >
}

/** The streams of share keys and tracks, under the rules of stream links. $1: IDs of keys, $2: of tracks, $3: now. */
const FIND_BY_KEYS = {
  name: 'find_adaptive_streams',
  text: `
  SELECT g.place::int, f.storage_key AS "storageKey", f.data, f.props, o.domain, o.signing_secrets AS "signingSecrets"
  FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS g(key_id, track_id, place)
  JOIN api_key a ON a.id = g.key_id
  CROSS JOIN LATERAL ledger.open_share(a.hash, $3::timestamptz) k
  CROSS JOIN LATERAL ledger.open_link(k, g.track_id) l
  JOIN track_file f ON f.track_id = g.track_id AND f.variant_id = k.variant_id AND f.path = l.path
  JOIN variant v ON v.id = f.variant_id AND v.type = 'adaptive'
  JOIN organization o ON o.id = k.organization_id`,
}

const MAX_BATCH = 500
/** Playlists of three minutes have 3 kB, those of twelve hours 600 kB. */
const MAX_PLAYLISTS = 64

/** A part of an adaptive stream: a playlist, or the address of a file. */
export type AdaptivePart = { contentType: string; text: string } | { location: string }

/** Content types of playlists (RFC 8216, 10; ISO/IEC 23009-1, annex C). */
const contentTypes = { m3u8: 'application/vnd.apple.mpegurl', mpd: 'application/dash+xml' } as const

/** Finds adaptive streams, and writes their playlists. */
export function createAdaptiveStreams(services: Services) {
  const mediaPlaylists = new Recent<string>(MAX_PLAYLISTS)

  /** Each segment is looked up, so that a revoked key ends the stream. Requests that arrive together share a statement. */
  const findByKey = batched(
    async (grants: readonly AdaptiveGrant[]): Promise<(AdaptiveStream | null)[]> => {
      const values = [grants.map(({ id }) => id), grants.map(({ trackId }) => trackId), services.clock()]
      const { rows } = await services.pool.query<StreamRow & { place: number }>({ ...FIND_BY_KEYS, values })
      const streams = new Map(rows.map(({ place, ...row }) => [place - 1, toStream(row)]))
      return grants.map((_, at) => streams.get(at) ?? null)
    },
    { max: MAX_BATCH },
  )

  const find = (grant: AdaptiveGrant) => (grant.kind === 'key' ? findByKey(grant) : findBySession(services, grant))

  /** The media playlist of a rate, from the index of its file. */
  async function writeMedia({ storageKey }: AdaptiveStream, rate: AdaptiveRate): Promise<string> {
    const { path, isMain, headerBytes, indexBytes } = rate
    const key = isMain ? storageKey : siblingKey(storageKey, findSuffix(path))
    const playlist = mediaPlaylists.get(key)
    if (playlist !== undefined) return playlist
    const firstAt = headerBytes + indexBytes
    const content = await services.storage.read(key, headerBytes, firstAt)
    if (!content) throw new AppError('not_found', 'path: the file is not in storage')
    const bytes = content instanceof Blob ? await content.bytes() : await Bun.readableStreamToBytes(content)
    const text = writeMediaPlaylist(rate, readSegments(Buffer.from(bytes), firstAt))
    mediaPlaylists.set(key, text)
    return text
  }

  return {
    /**
     * Returns the address of the playlist for a share key whose play has just been counted. Null when its variant has
     * no adaptive streams.
     */
    async openPlaylist(trackId: string, apiKey: string, form: PlaylistForm): Promise<string | null> {
      const key = parseKey(apiKey)
      if (!key || !isUuid(trackId)) return null
      const share = await services.db.apiKey.findUnique({ where: { hash: key.hash }, select: { id: true } })
      if (!share) return null
      const expires = Math.floor(services.clock().getTime() / 1000) + GRANT_SECONDS
      const grant: AdaptiveGrant = { kind: 'key', id: share.id, trackId: trackId.toLowerCase(), expires }
      return (await find(grant)) && playlistUrl(services, grant, form)
    },

    /**
     * Returns a part of an adaptive stream. Null for a part that it does not have, and for a stream that may not be read
     * any more.
     * @throws AppError `not_found`, `unavailable`
     */
    async read(grant: AdaptiveGrant, name: string): Promise<AdaptivePart | null> {
      const stream = await find(grant)
      if (!stream) return null
      if (name === playlistNames.m3u8)
        return { contentType: contentTypes.m3u8, text: writeMasterPlaylist(stream.rates) }
      if (name === playlistNames.mpd) return { contentType: contentTypes.mpd, text: writeManifest(stream) }
      const file = stream.rates.find((rate) => nameFile(rate) === name)
      if (file) return { location: signedUrl(services, stream, file.path) }
      const rate = stream.rates.find(({ bitrate }) => `${bitrate}.m3u8` === name)
      return rate ? { contentType: contentTypes.m3u8, text: await writeMedia(stream, rate) } : null
    },
  }
}

/** @returns null for a session that has ended, and for one that does not play the track */
async function findBySession(services: Services, { id, trackId }: AdaptiveGrant): Promise<AdaptiveStream | null> {
  try {
    const session = await getPlaySession(services, id)
    const track = await services.db.track.findFirst({
      where: { AND: [sessionTracksWhere(session), { id: trackId }] },
      select: { ...withDomain, files: { where: finishedFiles(['adaptive']), include: { variant: true } } },
    })
    const [file] = track ? listPlayingFiles(session, track.files) : []
    return track && file ? toStream({ ...file, ...track.organization }) : null
  } catch (error) {
    if (error instanceof AppError && ['not_found', 'expired'].includes(error.code)) return null
    throw error
  }
}

function toStream({ storageKey, data, props, domain, signingSecrets }: StreamRow): AdaptiveStream | null {
  if (storageKey === null) return null
  const { duration, rates } = data as StreamData
  const { sample_rate: sampleRate, channels } = props as { sample_rate: number; channels: number }
  const list = Object.entries(rates).map(([bitrate, rate]) => ({
    bitrate: Number(bitrate),
    averageBitrate: rate.average_bitrate,
    peakBitrate: rate.peak_bitrate,
    path: rate.path,
    isMain: rate.is_main,
    headerBytes: rate.header_bytes,
    indexBytes: rate.index_bytes,
  }))
  return { storageKey, durationSeconds: duration, sampleRate, channels, rates: list, domain, signingSecrets }
}
