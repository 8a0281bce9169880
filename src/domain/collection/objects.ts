import type { Client } from 'pg'
import type { Config } from '../../config.ts'
import { pagesById } from '../../platform/db/pages.ts'
import type { StoredObject } from '../../platform/storage/stored-object.ts'
import { COVER_COLUMNS, type CoverOwner, objectsOfCover } from '../organization/cover/objects.ts'
import { restorableUntil } from './deleted/grace.ts'

const COLLECTIONS = `SELECT id, organization_id AS "organizationId", deleted_at AS "deletedAt", ${COVER_COLUMNS}
  FROM collection WHERE id > $1::uuid AND (cover_uploaded_at IS NOT NULL OR cover IS NOT NULL) ORDER BY id LIMIT 1000`

/** Reads the objects of the covers of all collections that are not purged. */
export async function* objectsOfCollections(
  client: Pick<Client, 'query'>,
  config: Pick<Config, 'deletedFilesKeptDays'>,
): AsyncGenerator<StoredObject> {
  for await (const owners of pagesById<CoverOwner & { deletedAt: Date | null }>(client, COLLECTIONS)) {
    for (const { deletedAt, ...owner } of owners) {
      yield* objectsOfCover({ ...owner, expiresAt: deletedAt && restorableUntil({ config }, deletedAt) })
    }
  }
}
