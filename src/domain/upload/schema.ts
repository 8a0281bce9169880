import { z } from 'zod'
import { metadata, optionalIndex, orDefault, uuid } from '../../platform/schema/input.ts'
import { newTrackInput } from '../track/record.ts'

/** POST /v1/upload_session (specification, section 4). */
export const createUploadSessionInput = z
  .object({
    collectionId: uuid.describe('Where its tracks lie; implied by a key that is scoped to a collection.').nullish(),
    creatorId: uuid.describe("The creator that they belong to; the collection's unless told.").nullish(),
    organizationIndex: optionalIndex,
    metadata: orDefault(metadata, {}),
    expiresIn: orDefault(z.number().int().min(60).max(86_400), 3600).describe('Seconds.'),
    track: newTrackInput.nullish().describe('Creates this track too.'),
  })
  .meta({ id: 'CreateUploadSession' })

export const uploadSessionId = z.object({ uploadSessionId: uuid.describe('The session: its id is the credential.') })
