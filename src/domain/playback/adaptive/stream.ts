import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { readSegments } from '../../../platform/media/formats/cmaf.ts'
import { Recent } from '../../../platform/recent.ts'
import { isUuid } from '../../../platform/uuid.ts'
import { parseKey } from '../../access/key/key.ts'
import { type Delivery, signedUrl } from '../../delivery/address.ts'
import { cutExtensions, siblingKey } from '../../delivery/name.ts'
import { finishedFiles, withDomain } from '../../track/service.ts'
import { type AdaptiveGrant, GRANT_SECONDS, type PlaylistForm, playlistNames, playlistUrl } from '../adaptive-grant.ts'
import { listPlayingFiles } from '../session/playback.ts'
import { getPlaySession, sessionTracksWhere } from '../session/service.ts'
import { type AdaptiveRate, writeManifest, writeMasterPlaylist, writeMediaPlaylist } from './playlist.ts'

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
    { path: string; average_bitrate: number; peak_bitrate: number; header_bytes: number; index_bytes: number }
  >
}

/** The stream of a share key and a track, under the rules of stream links. $1: ID of the key, $2: of the track, $3: now. */
const FIND_BY_KEY = {
  name: 'find_adaptive_stream',
  text: `
  SELECT f.storage_key AS "storageKey", f.data, f.props, o.domain, o.signing_secrets AS "signingSecrets"
  FROM api_key a
  CROSS JOIN LATERAL ledger.open_share(a.hash, $3::timestamptz) k
  CROSS JOIN LATERAL ledger.open_link(k, $2::uuid) l
  JOIN track_file f ON f.track_id = $2::uuid AND f.variant_id = k.variant_id AND f.path = l.path
  JOIN variant v ON v.id = f.variant_id AND v.type = 'adaptive'
  JOIN organization o ON o.id = k.organization_id
  WHERE a.id = $1::uuid`,
}

/** Time after which a stream is looked up again, so that a revoked key or a deleted track ends it. */
const CHECK_MS = 2000
const MAX_STREAMS = 10_000
/** Playlists of three minutes have 3 kB, those of twelve hours 600 kB. */
const MAX_PLAYLISTS = 200

/** A part of an adaptive stream: a playlist, or the address of a file. */
export type AdaptivePart = { contentType: string; text: string } | { location: string }

/** Content types of playlists (RFC 8216, 10; ISO/IEC 23009-1, annex C). */
const contentTypes = { m3u8: 'application/vnd.apple.mpegurl', mpd: 'application/dash+xml' } as const

/** Finds adaptive streams, and writes their playlists. */
export function createAdaptiveStreams(services: Services) {
  const streams = new Recent<{ reading: Promise<AdaptiveStream | null>; sinceMs: number }>(MAX_STREAMS)
  const mediaPlaylists = new Recent<string>(MAX_PLAYLISTS)

  async function findByKey({ id, trackId }: AdaptiveGrant): Promise<AdaptiveStream | null> {
    const values = [id, trackId, services.clock()]
    const { rows } = await services.pool.query<StreamRow>({ ...FIND_BY_KEY, values })
    return rows[0] ? toStream(rows[0]) : null
  }

  /** Requests for the parts of a stream share a look-up. */
  function find(grant: AdaptiveGrant): Promise<AdaptiveStream | null> {
    const name = `${grant.kind} ${grant.id} ${grant.trackId}`
    const lookUp = streams.get(name)
    const now = performance.now()
    if (lookUp && now - lookUp.sinceMs < CHECK_MS) return lookUp.reading
    const reading = grant.kind === 'key' ? findByKey(grant) : findBySession(services, grant)
    streams.set(name, { reading, sinceMs: now })
    reading.catch(() => streams.deleteWhere((stream) => stream.reading === reading))
    return reading
  }

  /** The media playlist of a rate, from the index of its file. */
  async function writeMedia({ storageKey }: AdaptiveStream, rate: AdaptiveRate): Promise<string> {
    const { path, headerBytes, indexBytes } = rate
    const key = siblingKey(storageKey, path.slice(cutExtensions(path).length + 1))
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
      const [, bitrate, extension] = /^(\d{1,4})\.(m3u8|m4a)$/.exec(name) ?? []
      const rate = stream.rates.find((one) => String(one.bitrate) === bitrate)
      if (!rate) return null
      if (extension === 'm4a') return { location: signedUrl(services, stream, rate.path) }
      return { contentType: contentTypes.m3u8, text: await writeMedia(stream, rate) }
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
    headerBytes: rate.header_bytes,
    indexBytes: rate.index_bytes,
  }))
  return { storageKey, durationSeconds: duration, sampleRate, channels, rates: list, domain, signingSecrets }
}
