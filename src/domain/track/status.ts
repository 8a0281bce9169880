import { snakeJson } from '../../platform/case.ts'
import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { recordEvent } from '../event/service.ts'
import { toRestFile, toRestTrack } from './public.ts'
import { withDomain, withFiles } from './service.ts'

/** States of a track that a job is working on. The function `track_stamp_change` names them too. */
export const processingStates: TrackStatus[] = ['processing', 'fallback_processing']
/** States that change without further requests. Also the condition of the index `track_under_way`. */
export const unfinishedStates: TrackStatus[] = ['initialized', ...processingStates]

export const isProcessing = (status: TrackStatus) => processingStates.includes(status)
export const isUnfinished = (status: TrackStatus) => unfinishedStates.includes(status)

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
 * the new state, and logs it with its reason if no file plays.
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
  const [before] = await tx.$queryRaw<{ status: TrackStatus }[]>`
    SELECT status FROM track WHERE id = ${id}::uuid FOR UPDATE`
  const { count } = await tx.track.updateMany({
    where: { ...where, id, status: { in: [...from] }, deletedAt: null },
    data: { ...data, status },
  })
  if (!before || count === 0) return false
  const track = await tx.track.findUniqueOrThrow({ where: { id }, include: { ...withDomain, ...withFiles } })
  services.metrics.tracks.inc({ status })
  if (status === 'error' || status === 'init_error') {
    const { statusCode: code, statusText: reason } = track
    services.log.warn({ trackId: id, status, code, reason }, 'a track ended without a playable file')
  }
  await recordEvent(tx, track.organizationId, 'track.status_changed', {
    status,
    previous_status: before.status,
    ...toEventSubject(track),
    upload_session_id: track.uploadSessionId,
    track: snakeJson(toRestTrack(services, track)),
    files: snakeJson(track.files.map((file) => toRestFile(services, file, track))),
  })
  return true
}

/** Records `track_file.created` for finished files and `track_file.failed` for failed ones. */
export async function recordFileEvents(
  services: Services,
  tx: Transaction,
  trackId: string,
  fileIds: readonly string[],
) {
  const track = await tx.track.findUniqueOrThrow({ where: { id: trackId }, include: { ...withDomain, ...withFiles } })
  for (const file of track.files.filter(({ id }) => fileIds.includes(id))) {
    await recordEvent(tx, track.organizationId, file.state === 'done' ? 'track_file.created' : 'track_file.failed', {
      ...toEventSubject(track),
      file: snakeJson(toRestFile(services, file, track)),
    })
  }
}

const toEventSubject = (track: {
  organizationId: string
  creatorId: string | null
  collectionId: string
  id: string
}) => ({
  organization_id: track.organizationId,
  creator_id: track.creatorId,
  collection_id: track.collectionId,
  track_id: track.id,
})
