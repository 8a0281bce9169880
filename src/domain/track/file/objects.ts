import type { Client } from 'pg'
import type { Config } from '../../../config.ts'
import { pagesById } from '../../../platform/db/pages.ts'
import { type StoredObject, UNDELIVERED_TYPE } from '../../../platform/storage/stored-object.ts'
import { restorableUntil } from '../../collection/deleted/grace.ts'
import { findSuffix, siblingKey } from '../../delivery/name.ts'
import { findSiblings } from '../../delivery/siblings.ts'

interface TrackRow {
  id: string
  organizationId: string
  /** Null until the recording is uploaded. */
  sourceKey: string | null
  /** A bigint in decimal. */
  sourceBytes: string | null
  sourceSha256: string | null
  /** Null until a picture is uploaded. */
  coverSourceKey: string | null
  deletedAt: Date | null
}

interface FileRow {
  trackId: string
  storageKey: string
  size: string | null
  sha256: string | null
  contentType: string | null
  data: unknown
}

const TRACKS = `SELECT id, organization_id AS "organizationId", source_key AS "sourceKey",
    source_bytes::text AS "sourceBytes", source_sha256 AS "sourceSha256", cover_source_key AS "coverSourceKey", deleted_at AS "deletedAt"
  FROM track WHERE purged_at IS NULL AND id > $1::uuid ORDER BY id LIMIT 1000`

const FILES = `SELECT track_id AS "trackId", storage_key AS "storageKey", size::text, sha256,
    content_type AS "contentType", data
  FROM track_file WHERE track_id = ANY($1::uuid[]) AND storage_key IS NOT NULL`

/**
 * Reads the objects of all tracks that are not purged: recordings, uploaded pictures, files and their siblings. In pages,
 * so that the memory is bounded.
 * @param client in a transaction with one snapshot
 */
export async function* objectsOfTracks(
  client: Pick<Client, 'query'>,
  config: Pick<Config, 'deletedFilesKeptDays'>,
): AsyncGenerator<StoredObject> {
  for await (const tracks of pagesById<TrackRow>(client, TRACKS)) {
    const { rows: files } = await client.query<FileRow>(FILES, [tracks.map(({ id }) => id)])
    const filesOf = Map.groupBy(files, ({ trackId }) => trackId)
    for (const track of tracks) {
      const expiresAt = track.deletedAt && restorableUntil({ config }, track.deletedAt)
      for (const object of listObjects(track, filesOf.get(track.id) ?? [])) yield { ...object, expiresAt }
    }
  }
}

type Undated = Omit<StoredObject, 'expiresAt'>

function listObjects(track: TrackRow, files: readonly FileRow[]): Undated[] {
  const { sourceKey, sourceSha256, coverSourceKey } = track
  const recording = { bytes: toNumberOrNull(track.sourceBytes), sha256: sourceSha256, contentType: UNDELIVERED_TYPE }
  const picture = { bytes: null, sha256: null, contentType: UNDELIVERED_TYPE }
  return [
    ...(sourceKey === null ? [] : [{ key: sourceKey, ...recording }]),
    ...(coverSourceKey === null ? [] : [{ key: coverSourceKey, ...picture }]),
    ...files.flatMap(objectsOfFile),
  ]
}

/** A sibling as far as its `data` describes it. The first file of a cover is a sibling of its own. */
type Described = { path: string; type?: string; size?: number; sha256?: string }

function objectsOfFile({ storageKey, size, sha256, contentType, data }: FileRow): Undated[] {
  const siblings = (findSiblings(data) as Described[]).map((sibling) => ({
    key: siblingKey(storageKey, findSuffix(sibling.path)),
    bytes: sibling.size ?? null,
    sha256: sibling.sha256 ?? null,
    contentType: sibling.type ?? UNDELIVERED_TYPE,
  }))
  const mainObject = {
    key: storageKey,
    bytes: toNumberOrNull(size),
    sha256,
    contentType: contentType ?? UNDELIVERED_TYPE,
  }
  return [mainObject, ...siblings.filter(({ key }) => key !== storageKey)]
}

const toNumberOrNull = (bigint: string | null) => (bigint === null ? null : Number(bigint))
