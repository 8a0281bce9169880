import { z } from 'zod'
import { color, id, metadata, text, time } from '../../platform/schema/fields.ts'
import { restShape } from '../../platform/schema/record.ts'
import { metadataRule, optionalIndexRule, orDefault, uuidRule } from '../../platform/schema/rules.ts'
import { newTrackInput, trackColumns, trackStatusShape } from '../track/record.ts'

/** Specification, section 2, Upload session. */
export const uploadSessionFields = {
  id: id({ description: 'ID of the session. A random UUID: it is the credential for uploads.' }),
  creatorId: id({
    description: 'ID of the creator that its tracks belong to.',
    nullable: true,
    nullMeans: 'Null without a creator.',
  }),
  collectionId: id({ description: 'ID of the collection that its tracks are created in.' }),
  organizationIndex: text({ description: "The client's own identifier.", nullable: true, example: 'batch-3' }),
  metadata: metadata({ inputs: [] }),
  expiresAt: time({ description: 'Time after which no track can be created.' }),
}

export const uploadSessionDescription = 'For uploading several tracks to one collection. Its ID is the credential.'

/** State of a track of a session, for pages that have no key (contract, section 3). */
export const sessionTrackFields = {
  trackId: id({ description: 'ID of the track.' }),
  fileName: trackColumns.fileName,
  statusCode: trackColumns.statusCode,
  statusText: trackColumns.statusText,
}
export const SESSION_PROGRESS = 'Progress in percent. 0 to 100; 100 exactly when no further change follows.'
export const sessionTrackDescription = 'State and progress of a track of an upload session.'
export const sessionTrackShape = z
  .object({
    ...restShape(sessionTrackFields),
    trackStatusId: trackStatusShape,
    progress: z.number().int().min(0).max(100).describe(SESSION_PROGRESS),
  })
  .meta({ id: 'UploadSessionTrack', description: sessionTrackDescription })

export const uploadSessionShape = z
  .object(restShape(uploadSessionFields))
  .meta({ id: 'UploadSession', description: uploadSessionDescription })

/** Colors of the upload widget. */
export const sessionColorFields = {
  playerColor: color({
    description: 'Player color of the collection, else of the organization.',
    nullable: true,
    nullMeans: 'Null without one.',
  }),
  playerColorLight: color({
    description: 'The player color, adjusted to be legible on light backgrounds.',
    nullable: true,
    nullMeans: 'Null without a player color.',
  }),
  playerColorDark: color({
    description: 'The player color, adjusted to be legible on dark backgrounds.',
    nullable: true,
    nullMeans: 'Null without a player color.',
  }),
}

/** Body of POST /v1/upload_session (specification, section 4). */
export const createUploadSessionInput = z
  .object({
    collectionId: uuidRule
      .describe('ID of the collection that its tracks are created in. Implied by a key with the scope of a collection.')
      .nullish(),
    creatorId: uuidRule
      .describe('ID of the creator that its tracks belong to. Defaults to the creator of the collection.')
      .nullish(),
    organizationIndex: optionalIndexRule,
    metadata: orDefault(metadataRule, {}),
    expiresIn: orDefault(z.number().int().min(60).max(86_400), 3600).describe(
      'Seconds until the session expires. 60 to 86,400. Defaults to 3,600.',
    ),
    track: newTrackInput.nullish().describe('A first track to create in the session.'),
  })
  .meta({ id: 'CreateUploadSession' })
export type CreateUploadSession = z.output<typeof createUploadSessionInput>

export const uploadSessionId = z.object({ uploadSessionId: uuidRule.describe(uploadSessionFields.id.description) })
