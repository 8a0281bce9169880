import type { Client } from 'pg'
import { pagesById } from '../../../platform/db/pages.ts'
import { type StoredObject, UNDELIVERED_TYPE } from '../../../platform/storage/stored-object.ts'
import { listImages, type StoredOwnCover } from './stored.ts'

/** An organization or a collection, with what locates its cover. */
export interface CoverOwner {
  id: string
  organizationId: string
  /** Null until a picture is uploaded. */
  coverSourceKey: string | null
  cover: StoredOwnCover | null
  /** Time from which the purge may remove them. */
  expiresAt: Date | null
}

/** Returns the objects of a cover: the uploaded picture and its sizes. */
export function objectsOfCover({ coverSourceKey, cover, expiresAt }: CoverOwner): StoredObject[] {
  const undescribed = { bytes: null, sha256: null, contentType: UNDELIVERED_TYPE }
  const images = cover === null ? [] : listImages(cover)
  return [
    ...(coverSourceKey === null ? [] : [{ key: coverSourceKey, ...undescribed, expiresAt }]),
    ...images.map(({ key, size, sha256, type }) => ({ key, bytes: size, sha256, contentType: type, expiresAt })),
  ]
}

/** Columns of a cover's owner, in the names of `CoverOwner`. */
export const COVER_COLUMNS = 'cover_source_key AS "coverSourceKey", cover'

/** Reads the objects of the covers of all organizations. */
export async function* objectsOfOrganizations(client: Pick<Client, 'query'>): AsyncGenerator<StoredObject> {
  const statement = `SELECT id, id AS "organizationId", NULL AS "expiresAt", ${COVER_COLUMNS}
    FROM organization WHERE id > $1::uuid ORDER BY id LIMIT 1000`
  for await (const owners of pagesById<CoverOwner>(client, statement)) yield* owners.flatMap(objectsOfCover)
}
