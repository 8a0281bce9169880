import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'

/** What an organization is told of (contract, section 7). */
export type EventType =
  | 'track.status_changed'
  | 'track_file.created'
  | 'track_file.failed'
  | 'collection.created'
  | 'collection.updated'
  | 'collection.deleted'

/** Writes an event in the transaction that causes it: it is there exactly when the change is. */
export async function recordEvent(
  tx: Transaction,
  organizationId: string,
  type: EventType,
  data: Prisma.InputJsonObject,
): Promise<void> {
  await tx.event.create({ data: { organizationId, type, data } })
}
