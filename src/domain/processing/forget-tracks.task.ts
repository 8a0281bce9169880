import type { Transaction } from '../../platform/db/client.ts'
import { Prisma } from '../../platform/db/generated/client/client.ts'
import { inBatches } from '../../platform/jobs/batches.ts'
import { periodic, task } from '../../platform/jobs/task.ts'
import { DAY_MS } from '../../platform/time.ts'

/** Time after the purge of a track during which its rows remain. Its jobs are shown for as long. */
const KEPT_MS = 30 * DAY_MS
/** Tracks of a transaction. Each has about ten files. */
const BATCH = 500

/**
 * Deletes the rows of tracks that were purged more than 30 days ago, with their files and own variants. A track stays while a
 * job, a play session, a key or a former recording refers to it or to its variants: a key that is limited to it must not become unlimited.
 */
export const forgetTracksTask = task(
  periodic('forget_tracks'),
  async ({ db, clock }, _, { signal }) => {
    const before = new Date(clock().getTime() - KEPT_MS)
    await inBatches(BATCH, signal, () => db.$transaction((tx) => forgetSome(tx, before)))
  },
  '22 2 * * *',
)

async function forgetSome(tx: Transaction, before: Date): Promise<number> {
  const due = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM track t
    WHERE purged_at < ${before}::timestamptz AND NOT EXISTS (SELECT FROM job WHERE track_id = t.id)
      AND NOT EXISTS (SELECT FROM play_session WHERE track_id = t.id)
      AND NOT EXISTS (SELECT FROM api_key WHERE track_id = t.id)
      AND NOT EXISTS (SELECT FROM track r WHERE r.replaces_id = t.id)
      AND NOT EXISTS (
        SELECT FROM variant v WHERE v.track_id = t.id AND (
          EXISTS (SELECT FROM api_key WHERE variant_id = v.id) OR EXISTS (SELECT FROM job WHERE variant_id = v.id)
          OR EXISTS (SELECT FROM batch WHERE variant_id = v.id)))
    ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
  const ids = Prisma.sql`ANY(${due.map(({ id }) => id)}::uuid[])`
  await tx.$executeRaw`DELETE FROM track_file WHERE track_id = ${ids}`
  await tx.$executeRaw`DELETE FROM variant WHERE track_id = ${ids}`
  await tx.$executeRaw`DELETE FROM track WHERE id = ${ids}`
  return due.length
}
