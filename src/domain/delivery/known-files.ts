import type { Services } from '../../platform/context.ts'
import { batched } from '../../platform/db/batched.ts'
import { Recent } from '../../platform/recent.ts'
import { siblingKey, withoutExtension } from './name.ts'
import { extensionsWithSiblings, parseSiblingPath } from './siblings.ts'

/** A file that may be delivered. */
export interface DeliveredFile {
  /** Storage key of the bytes. */
  key: string
  size: number
  sha256: string
  contentType: string
  /** File name for browsers. Sanitized for headers when it was stored. */
  fileName: string
  /** When it was made, as an HTTP date (RFC 9110, section 5.6.7). */
  lastModified: string
}

export interface Found extends DeliveredFile {
  /** Signing secrets of the organization as stored, the one that signs first. */
  secrets: string[]
}

/** A file with the IDs of all that can end its delivery. */
interface KnownFile extends Found {
  trackId: string
  collectionId: string
  variantId: string
  organizationId: string
}

/** A file as a row of the database. */
export type FileRow<F extends DeliveredFile> = Omit<F, 'size' | 'lastModified'> & { size: string; modified: Date }

/** Converts a row to a file. */
export const toDeliveredFile = <R extends FileRow<DeliveredFile>>({ size, modified, ...row }: R) => ({
  ...row,
  size: Number(size),
  // Here, because a file is delivered more often than it is read.
  lastModified: modified.toUTCString(),
})

/** A row without a file has null in each of its columns. */
interface Row extends FileRow<KnownFile> {
  path: string | null
  /** Of a sibling file, whose row has the key and the name of its main file. Null for a main file, by any of its paths. */
  suffix: string | null
  snapshot: string
  /** Null without a change. */
  changes: string[] | null
}

/** The rows that a file belongs to, and that let it be delivered. */
const OWNERS = `
  JOIN track t ON t.id = f.track_id AND t.deleted_at IS NULL AND t.replaces_id IS NULL
  JOIN collection c ON c.id = t.collection_id AND c.deleted_at IS NULL
  JOIN variant v ON v.id = f.variant_id AND v.deleted_at IS NULL
  JOIN organization o ON o.id = f.organization_id`

const SHARED_COLUMNS = `f.storage_key AS key, f.file_name AS "fileName", f.completed_at AS modified,
      o.signing_secrets AS secrets, t.id AS "trackId", c.id AS "collectionId", v.id AS "variantId", o.id AS "organizationId"`

/** The entry of a JSON column, at any of its first levels, that has a path. */
export const findEntry = (column: string, path: string) => `jsonb_path_query(
    ${column}, 'strict $.**{1 to 2} ? (@.path == $path)', jsonb_build_object('path', ${path}), true) entry`
export const ENTRY_COLUMNS = `(entry->>'size')::bigint AS size, entry->>'sha256' AS sha256, entry->>'type' AS "contentType"`

/** Files by their paths, and siblings, such as sizes of a cover: those that `data` of a file contains. */
const FIND_FILES = {
  name: 'find_delivered_files',
  text: `
  SELECT s.snapshot, s.changes, d.* FROM ledger.changes_since($1) s LEFT JOIN (
    SELECT f.path, NULL AS suffix, f.size, f.sha256, f.content_type AS "contentType", ${SHARED_COLUMNS}
    FROM track_file f ${OWNERS}
    WHERE f.path = ANY ($2::text[]) AND f.state = 'done'
    UNION ALL
    SELECT p.path, CASE WHEN (entry->>'is_main')::boolean IS NOT TRUE THEN p.suffix END, ${ENTRY_COLUMNS}, ${SHARED_COLUMNS}
    FROM unnest($3::text[], $4::text[], $5::text[]) AS p(path, stem, suffix)
    JOIN track_file f ON f.path IN (${extensionsWithSiblings.map((extension) => `p.stem || '.${extension}'`).join(', ')})
      AND f.state = 'done' ${OWNERS}
    CROSS JOIN LATERAL ${findEntry('f.data', 'p.path')}
  ) d ON true`,
}

/** The parameters of `FIND_FILES` for paths: those of main files, then of siblings in three arrays: path, stem and suffix. */
function toPathValues(paths: readonly string[]): [string[], string[], string[], string[]] {
  const mains = paths.filter((path) => !parseSiblingPath(path))
  const siblings = paths.flatMap((path) => parseSiblingPath(path) ?? [])
  return [
    mains,
    siblings.map(({ path }) => path),
    siblings.map(({ stem }) => stem),
    siblings.map(({ suffix }) => suffix),
  ]
}

/** A sibling file has the key and the name of its main file, with its own suffix. */
const withSuffix = (file: KnownFile, suffix: string | null): KnownFile =>
  suffix === null
    ? file
    : { ...file, key: siblingKey(file.key, suffix), fileName: `${withoutExtension(file.fileName)}.${suffix}` }

/** Paths of one statement. */
const MAX_BATCH = 500
/** About 20 MB. */
const MAX_FILES = 20_000
/** Time after the beginning of a check for which known files are delivered without another one. */
const LEASE_MS = 50
/** Age of a check at which the next one begins, while files are still delivered. */
const RENEW_MS = 25
/** Time after which everything is read again. After a failover, the numbers of lost transactions are given again. */
const MAX_AGE_MS = 60_000
/** Covers the lease, and timers that end early. */
const END_MS = LEASE_MS + 10

/**
 * Waits until no edge delivers any more what a committed change has ended. A request that follows the answer to such a
 * change is refused by every process (contract, section 6).
 */
export const endOfDeliveries = (): Promise<void> => Bun.sleep(END_MS)

/** Deletes changes older than a day, by the clock of the database that has recorded them. */
export async function forgetDeliveryChanges(pool: Services['pool']): Promise<void> {
  await pool.query(`DELETE FROM ledger.delivery_change WHERE changed_at < now() - interval '1 day'`)
}

/**
 * Keeps the files that were requested, together with a snapshot of the database in which all of them were valid. Each
 * statement also returns what has changed since that snapshot. For 50 ms after its beginning, known files are returned
 * at once; then the next request waits for another statement. So no process delivers a file later than 50 ms after the
 * commit that ends its delivery, and `endOfDeliveries` waits that long (decision 0015).
 * @param now monotonic time in milliseconds
 */
export function createKnownFiles({ pool }: { pool: Pick<Services['pool'], 'query'> }, now = () => performance.now()) {
  const files = new Recent<KnownFile>(MAX_FILES)
  /** All that is kept was valid in this snapshot. Null while nothing is kept. */
  let since: string | null = null
  /** When the statement of that snapshot was sent. */
  let checkedMs = Number.NEGATIVE_INFINITY
  /** When the first statement was sent whose files are kept. */
  let beganMs = Number.NEGATIVE_INFINITY
  let isRenewing = false
  /** Numbers of the last statement that was sent, and of the last sent one that has answered. */
  let sent = 0
  let answered = 0

  function forget(): void {
    files.clear()
    since = null
    checkedMs = Number.NEGATIVE_INFINITY
  }

  /** @param changes empty if there are too many to list */
  function apply(changes: readonly string[]): void {
    const isAny = changes.length === 0
    const subjects = new Set(changes)
    files.deleteWhere(
      ({ trackId, collectionId, variantId, organizationId }) =>
        isAny || [trackId, collectionId, variantId, organizationId].some((id) => subjects.has(id)),
    )
  }

  /**
   * Reads what has changed, and files that are not known. A stalled statement keeps nothing once a later one has answered,
   * because that may have found its files changed. After a failure, the snapshot may be lost with the database.
   * @returns the files of `paths`
   */
  async function readFiles(paths: readonly string[]): Promise<ReadonlyMap<string, KnownFile>> {
    const sentMs = now()
    sent += 1
    const number = sent
    try {
      const { rows } = await pool.query<Row>({ ...FIND_FILES, values: [since, ...toPathValues(paths)] })
      const [first] = rows
      if (!first) throw new Error('files were looked up without an answer')
      const read = new Map(
        rows.flatMap(({ path, suffix, snapshot: _, changes: __, ...file }) =>
          path === null ? [] : [[path, withSuffix(toDeliveredFile(file), suffix)]],
        ),
      )
      if (number < answered) return read
      answered = number
      if (first.changes) apply(first.changes)
      if (since === null) beganMs = sentMs
      since = first.snapshot
      checkedMs = sentMs
      for (const [path, file] of read) files.set(path, file)
      return read
    } catch (error) {
      forget()
      throw error
    }
  }

  /** Statements run one after another unless one stalls. */
  const load = batched(
    async (paths: readonly string[]): Promise<(Found | undefined)[]> => {
      if (now() - beganMs > MAX_AGE_MS) forget()
      const filesByPath = new Map<string, Found>()
      let remainingPaths = paths
      while (remainingPaths.length > 0) {
        const unknown = new Set(remainingPaths.filter((path) => !files.get(path)))
        const read = await readFiles([...unknown])
        // Now: a later statement may end what this one has found.
        for (const path of remainingPaths) {
          const file = read.get(path) ?? files.get(path)
          if (file) filesByPath.set(path, file)
        }
        // Known ones that have changed.
        remainingPaths = remainingPaths.filter((path) => !unknown.has(path) && !filesByPath.has(path))
      }
      return paths.map((path) => filesByPath.get(path))
    },
    { max: MAX_BATCH },
  )

  /** A request that waits for the next statement reports its failure. */
  function renew(path: string): void {
    isRenewing = true
    const end = () => {
      isRenewing = false
    }
    load(path).then(end, end)
  }

  return {
    /** Returns the file of a path if it is known and no check is due, else null. */
    recall(path: string): Found | null {
      const file = files.get(path)
      if (!file) return null
      const age = now() - checkedMs
      if (age > LEASE_MS) return null
      if (age > RENEW_MS && !isRenewing) renew(path)
      return file
    },

    /** Returns the file of a path if it is known, although a check may be due. It must not be delivered without one. */
    peek: (path: string): Found | null => files.get(path) ?? null,

    /** Finds the file of a path. Requests that arrive while a statement is running share the next one. */
    find: load,
  }
}
