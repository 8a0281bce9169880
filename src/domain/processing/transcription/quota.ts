import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { Prisma } from '../../../platform/db/generated/client/client.ts'
import { IS_UNENDED } from '../job-states.ts'

/** Sound that an organization may transcribe in the current calendar month, UTC. In seconds. */
export interface TranscriptionQuota {
  maxSeconds: number
  /** Sum of the transcribed and the queued sound. */
  usedSeconds: number
}

/**
 * Sum of what the organization has transcribed this month, and of the recordings whose jobs have not ended. Call it with the
 * organization locked before a job is queued.
 */
export async function readUsedSeconds(
  tx: Pick<Transaction, '$queryRaw'>,
  organizationId: string,
  now: Date,
): Promise<number> {
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
  // One statement: a job that ends at the same moment is in one of both.
  const [sum] = await tx.$queryRaw<{ seconds: number }[]>`
    SELECT coalesce((
      SELECT sum(greatest(recording_seconds, sent_seconds)) FROM job JOIN transcription USING (id)
      WHERE organization_id = ${organizationId}::uuid AND ${Prisma.raw(IS_UNENDED)}
    ), 0) + coalesce((
      SELECT seconds FROM transcription_month WHERE organization_id = ${organizationId}::uuid AND month = ${month}::date
    ), 0) AS seconds`
  return sum?.seconds ?? 0
}

/** Returns the quota of an organization. Null without speech recognition. */
export async function readQuota(ctx: Context, organizationId: string): Promise<TranscriptionQuota | null> {
  const { transcription } = ctx.config
  if (!transcription) return null
  const usedSeconds = await readUsedSeconds(ctx.db, organizationId, ctx.clock())
  return { maxSeconds: transcription.maxSecondsOfMonth, usedSeconds }
}

/** Returns the settings of speech recognition. @throws Error without them */
export function requireSpeech({ config }: Pick<Services, 'config'>) {
  if (!config.transcription) throw new Error('TRANSCRIBE_URL is not set')
  return config.transcription
}
