import { z } from 'zod'
import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { enqueue, type TaskDefinition } from '../../../platform/jobs/task.ts'

const payload = z.object({ trackId: z.string() })

/** Queues the transcription of a recording that was processed, where its organization wants it. */
export const transcribeUploads: TaskDefinition<z.infer<typeof payload>> = {
  name: 'transcribe_upload',
  payload,
  maxAttempts: 25,
}

/** Call it in the transaction that ends the processing of a recording. Does nothing without speech recognition. */
export async function offerTranscription(
  { config }: Pick<Services, 'config'>,
  tx: Transaction,
  trackId: string,
): Promise<void> {
  if (!config.transcription) return
  await enqueue(tx, transcribeUploads, { trackId }, { jobKey: `transcribe_upload:${trackId}` })
}
