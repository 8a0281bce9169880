import { z } from 'zod'
import * as shape from '../../platform/schema/shape.ts'
import { coverUploadShape, trackUploadShape } from '../access/upload-handle.ts'
import { legibleColors } from '../organization/colors.ts'
import { legibleColorShape } from '../organization/record.ts'
import { type SessionWithColors, sessionColor, type TrackUpload } from './service.ts'

/** Specification, section 2, Upload session. */
export const sessionShape = z
  .object({
    id: shape.id('Random: who knows it may upload.'),
    creatorId: shape.id('The creator that its tracks belong to, if one.').nullable(),
    collectionId: shape.id('The collection that its tracks lie in.'),
    organizationIndex: shape.text('Your own identifier.', 'batch-3').nullable(),
    metadata: shape.metadata(),
    expiresAt: shape.time('No track can be created after.'),
  })
  .meta({ id: 'UploadSession', description: 'For uploading several tracks into one collection.' })

/** An upload session as /v1 shows it. */
export const toRestSession = (session: SessionWithColors): z.input<typeof sessionShape> => ({
  id: session.id,
  creatorId: session.creatorId,
  collectionId: session.collectionId,
  organizationIndex: session.organizationIndex,
  metadata: session.metadata,
  expiresAt: session.expiresAt,
})

/** A session with what its widget is drawn in. */
export const sessionAnswer = z.object({
  uploadSessionId: shape.id('The session: its id is the credential.'),
  uploadSession: sessionShape,
  playerColor: shape.color("The collection's, else the organization's.").nullable(),
  ...legibleColorShape,
  expiresAt: shape.time('No track can be created after.'),
})

export function wrappedSession(session: SessionWithColors): z.input<typeof sessionAnswer> {
  const playerColor = sessionColor(session)
  return {
    uploadSessionId: session.id,
    uploadSession: toRestSession(session),
    playerColor,
    ...legibleColors(playerColor),
    expiresAt: session.expiresAt,
  }
}

/** Fields of the handle that differ from a track's. */
export const handleFields = {
  id: shape.id(),
  index: shape.text('Short URL-safe id, unique in the organization.', 'Ab3dE5gH1j'),
  path: shape.text('Where its files will lie.', '0199c3f0/0199c3f1/Ab3dE5gH1j'),
  uploadUrl: shape.url('Where the recording is sent: as in `track_upload`.', 'https://edge.example.com/upload/track/1'),
}

/** Specification, section 2, Track upload handle. */
export const handleAnswer = z.object({
  trackId: shape.id('The new track.'),
  track: z.object(handleFields).meta({ id: 'TrackHandle', description: 'A new track.' }),
  trackUpload: trackUploadShape,
  trackCoverUpload: coverUploadShape,
})

export const toRestHandle = ({ track, trackUpload, trackCoverUpload }: TrackUpload): z.input<typeof handleAnswer> => ({
  trackId: track.id,
  track: { id: track.id, index: track.index, path: track.basePath, uploadUrl: trackUpload.uploadUrl },
  trackUpload,
  trackCoverUpload,
})
