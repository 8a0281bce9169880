import { snakeJson } from '../../platform/case.ts'
import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { recordEvent } from '../event/service.ts'
import { toRestFile, toRestTrack } from './public.ts'
import { type FileWithVariant, type TrackWithDomain, withDomain, withFiles } from './service.ts'

/**
 * Records `track_file.created` for finished files and `track_file.failed` for failed ones. Files of a recording that no
 * listener gets have no events.
 */
export async function recordFileEvents(
  services: Services,
  tx: Transaction,
  trackId: string,
  fileIds: readonly string[],
) {
  const track = await tx.track.findUniqueOrThrow({ where: { id: trackId }, include: { ...withDomain, ...withFiles } })
  if (track.replacesId) return
  for (const file of track.files.filter(({ id }) => fileIds.includes(id))) {
    await recordEvent(tx, track.organizationId, file.state === 'done' ? 'track_file.created' : 'track_file.failed', {
      ...toEventSubject(track),
      file: snakeJson(toRestFile(services, file, track)),
    })
  }
}

/** The subject of an event of a track. */
export const toEventSubject = (track: {
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

/** Records `track.status_changed` with the current state of a track. */
export async function recordStatusEvent(
  services: Services,
  tx: Transaction,
  id: string,
  previousStatus: TrackStatus,
): Promise<void> {
  const track = await tx.track.findUniqueOrThrow({ where: { id }, include: { ...withDomain, ...withFiles } })
  await recordEvent(tx, track.organizationId, 'track.status_changed', {
    status: track.status,
    previous_status: previousStatus,
    upload_session_id: track.uploadSessionId,
    ...toContent(services, track),
  })
}

/** A track and its files, as an event shows them. */
export const toContent = (services: Services, track: TrackWithDomain & { files: FileWithVariant[] }) => ({
  ...toEventSubject(track),
  track: snakeJson(toRestTrack(services, track)),
  files: snakeJson(track.files.map((file) => toRestFile(services, file, track))),
})
