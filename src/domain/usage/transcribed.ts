import type { Transaction } from '../../platform/db/client.ts'

/** Seconds of sound that were transcribed for an organization by jobs that have ended since a time. */
export async function readTranscribedSeconds(
  tx: Pick<Transaction, '$queryRaw'>,
  organizationId: string,
  since: Date,
): Promise<number> {
  const [row] = await tx.$queryRaw<{ seconds: number }[]>`
    SELECT coalesce(sum(transcribed_seconds), 0)::float8 AS seconds FROM processing_time
    WHERE organization_id = ${organizationId}::uuid AND finished_at >= ${since} AND transcribed_seconds > 0`
  return row?.seconds ?? 0
}
