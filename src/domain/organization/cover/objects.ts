import type { Client } from 'pg'
import { pagesById } from '../../../platform/db/pages.ts'
import { type StoredObject, UNDELIVERED_TYPE } from '../../../platform/storage/stored-object.ts'
import { coverSourceKeyOf, type StoredCover } from './stored.ts'

/** An organization or a collection, with what locates its cover. */
export interface CoverOwner {
  id: string
  organizationId: string
  coverSourceKey: string | null
  /** Whether a picture was uploaded. */
  hasCover: boolean
  cover: StoredCover | null
  /** Time from which the purge may remove them. */
  expiresAt: Date | null
}

/** Returns the objects of a cover: the uploaded picture and its sizes. */
export function objectsOfCover({ hasCover, cover, expiresAt, ...owner }: CoverOwner): StoredObject[] {
  const picture = { key: coverSourceKeyOf(owner), bytes: null, sha256: null, contentType: UNDELIVERED_TYPE, expiresAt }
  const sizes = Object.values(cover ?? {}).flatMap(({ webp, ...jpeg }) => [jpeg, ...(webp ? [webp] : [])])
  return [
    ...(hasCover ? [picture] : []),
    ...sizes.map(({ key, path, size, sha256, type }) => ({
      key: key ?? path,
      bytes: size,
      sha256,
      contentType: type,
      expiresAt,
    })),
  ]
}

/** Columns of a cover's owner, in the names of `CoverOwner`. */
export const COVER_COLUMNS = 'cover_source_key AS "coverSourceKey", cover_uploaded_at IS NOT NULL AS "hasCover", cover'

/** Reads the objects of the covers of all organizations. */
export async function* objectsOfOrganizations(client: Pick<Client, 'query'>): AsyncGenerator<StoredObject> {
  const statement = `SELECT id, id AS "organizationId", NULL AS "expiresAt", ${COVER_COLUMNS}
    FROM organization WHERE id > $1::uuid ORDER BY id LIMIT 1000`
  for await (const owners of pagesById<CoverOwner>(client, statement)) yield* owners.flatMap(objectsOfCover)
}
