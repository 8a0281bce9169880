import { z } from 'zod'
import type { Transaction } from '../../platform/db/client.ts'
import { enqueue, type TaskDefinition } from '../../platform/jobs/task.ts'

const payload = z.object({ organizationId: z.string(), keyId: z.string() })
type Payload = z.infer<typeof payload>

/** Makes the album of a new demo organization, as the owner of its key would. */
export const makeAlbum: TaskDefinition<Payload> = { name: 'make_demo_album', payload, maxAttempts: 5 }

/** Queues the album in the transaction that creates the organization: it is made once, and does not come back. */
export const queueAlbum = (tx: Transaction, of: Payload): Promise<void> =>
  enqueue(tx, makeAlbum, of, { jobKey: `${makeAlbum.name}:${of.organizationId}` })
