import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { recordStatusEvent } from './record-events.ts'
import { endReplacement } from './replace-recording.ts'
import { lockTrack, withFiles } from './service.ts'

/** A change of state, conditional on the current state. */
export interface StatusChange {
  from: readonly TrackStatus[]
  to: TrackStatus
  /** Further conditions, and further columns to write. */
  where?: Prisma.TrackWhereInput
  data?: Prisma.TrackUpdateManyMutationInput
}

/**
 * Ends a track's processing: changes its state and records `track.status_changed`, in the caller's transaction. Counts
 * the new state, and logs it with its reason if no file plays. The end of another recording of a track changes the track.
 * @returns false if the track is in another state or deleted; nothing is written then
 * @see contract, sections 4 and 7
 */
export async function changeStatus(
  services: Services,
  tx: Transaction,
  id: string,
  { from, to: status, where, data }: StatusChange,
): Promise<boolean> {
  // Locked, so that the event names the state that the update leaves.
  const before = await lockTrack(tx, id)
  const { count } = await tx.track.updateMany({
    where: { ...where, id, status: { in: [...from] }, deletedAt: null },
    data: { ...data, status },
  })
  if (count === 0) return false
  const track = await tx.track.findUniqueOrThrow({ where: { id }, include: withFiles })
  services.metrics.tracks.inc({ status })
  if (status === 'error' || status === 'init_error') {
    const { statusCode: code, statusText: reason } = track
    services.log.warn({ trackId: id, status, code, reason }, 'a track ended without a playable file')
  }
  if (track.replacesId) await endReplacement(services, tx, track)
  else await recordStatusEvent(services, tx, id, before.status)
  return true
}
