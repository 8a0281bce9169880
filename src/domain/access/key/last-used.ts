import type { Services } from '../../../platform/context.ts'

/**
 * Writes the time of the last use of keys (contract, section 2). Rows that another process writes at this moment are left
 * to it.
 */
export async function markUsed({ db }: Pick<Services, 'db'>, ids: readonly string[], now: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE api_key SET last_used_at = ${now}::timestamptz WHERE id IN (
      SELECT id FROM api_key WHERE id = ANY(${[...ids]}::uuid[]) FOR NO KEY UPDATE SKIP LOCKED)`
}
