import type { Services } from '../../../platform/context.ts'
import { settleBatch } from '../job/end.ts'

const CHUNK = 10_000

/**
 * Cancels a batch. After the first transaction none of its jobs is queued or started. The queued ones are then cancelled
 * in chunks. Idempotent: a call that dies is completed by the next one.
 */
export async function cancelJobs({ db, clock }: Pick<Services, 'db' | 'clock'>, id: string): Promise<void> {
  const now = clock()
  const open = { id, finishedAt: null }
  await db.$transaction(async (tx) => {
    await tx.batch.updateMany({ where: { ...open, cancelledAt: null }, data: { cancelledAt: now } })
    await tx.batch.updateMany({ where: { ...open, filledAt: null }, data: { filledAt: now } })
  })
  const cancelSome = () => db.$executeRaw`
    UPDATE job SET state = 'cancelled', finished_at = ${now}::timestamptz WHERE id IN (
      SELECT id FROM job WHERE batch_id = ${id}::uuid AND state = 'queued' LIMIT ${CHUNK}::int FOR UPDATE SKIP LOCKED)`
  while ((await cancelSome()) > 0);
  await db.$transaction((tx) => settleBatch(tx, id, now))
}
