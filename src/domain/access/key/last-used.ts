import type { Services } from '../../../platform/context.ts'

/**
 * Writes the time of use of share keys, accurate to an hour (contract, section 2). Rows that another process writes at
 * this moment are left to it.
 */
export async function markUsed({ db }: Pick<Services, 'db'>, ids: readonly string[], now: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE api_key SET last_used_at = ${now}::timestamptz WHERE id IN (
      SELECT id FROM api_key WHERE id = ANY(${[...ids]}::uuid[])
        AND (last_used_at IS NULL OR last_used_at <= ${now}::timestamptz - interval '1 hour')
      FOR NO KEY UPDATE SKIP LOCKED)`
}
