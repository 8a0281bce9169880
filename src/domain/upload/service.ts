import type { z } from 'zod'
import type { Context, Services } from '../../platform/context.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { createTransactionReader } from '../../platform/db/query/transaction-reader.ts'
import { AppError, invalidInput, notFound } from '../../platform/errors.ts'
import { type Scope, sessionLimits, writeScope } from '../access/viewer.ts'
import { uploadableWhere, uploadCreator } from '../collection/service.ts'
import { lockCreator } from '../creator/service.ts'
import { legibleColors } from '../organization/colors.ts'
import { inheritedPlayerColor } from '../organization/inherit.ts'
import type { createTrackInput, newTrackInput } from '../track/record.ts'
import { insertTrack, type TrackWithDomain } from '../track/service.ts'
import { UPLOAD_SECONDS, type UploadHandle, uploadHandle } from '../upload-address/handle.ts'
import { fileNameIn, readAddress } from './pull/address.ts'
import { queuePull } from './pull/queue.ts'
import type { CreateUploadSession } from './record.ts'
import { checkSize } from './resumable/service.ts'

type NewTrack = z.output<typeof newTrackInput>
type CreateTrack = z.output<typeof createTrackInput>

/** The player colors that the upload widget of a session inherits, and the key that may end the session. */
const withColors = {
  key: { select: { revokedAt: true } },
  collection: { select: { playerColor: true, deletedAt: true } },
  organization: { select: { playerColor: true } },
} as const
export type SessionWithColors = Prisma.UploadSessionGetPayload<{ include: typeof withColors }>

/** Colors of the upload widget of a session: those of the collection, else of the organization. */
export function sessionColors({ collection, organization }: Pick<SessionWithColors, 'collection' | 'organization'>) {
  const playerColor = inheritedPlayerColor(organization, collection)
  return { playerColor, ...legibleColors(playerColor) }
}

/** A new track and the handles for uploading its recording and its cover. */
export interface TrackUpload {
  track: TrackWithDomain
  trackUpload: UploadHandle<'PUT'>
  trackCoverUpload: UploadHandle<'POST'>
}

/**
 * Creates an upload session, and its first track if the input contains one.
 * @throws AppError `not_found` for the collection or the creator; `too_large`, `invalid_input`
 * @see specification, section 4, Upload sessions
 */
export async function createUploadSession(ctx: Context, { track, expiresIn, ...input }: CreateUploadSession) {
  const scope = writeScope(ctx, ['api', 'uploader'])
  checkSize(ctx, track?.fileSize)
  const collectionId = collectionWithin(scope, input.collectionId)
  const limits = sessionLimits(ctx, expiresIn)
  return ctx.db.$transaction(async (tx) => {
    const collection = await tx.collection.findFirst({
      where: { AND: [uploadableWhere(scope), { id: collectionId }] },
      select: { creatorId: true },
    })
    if (!collection) throw notFound('collectionId')
    const sessionCreator = uploadCreator(scope, collection, input.creatorId) ?? collection.creatorId
    if (sessionCreator) await lockCreator(tx, scope.organizationId, sessionCreator)
    const session = await tx.uploadSession.create({
      data: {
        ...input,
        ...limits,
        // The ID is a credential: a random UUID v4 (contract, section 1).
        id: crypto.randomUUID(),
        organizationId: scope.organizationId,
        collectionId,
        creatorId: sessionCreator,
      },
      include: withColors,
    })
    const created = track ? await insertTrack(createTransactionReader(tx), inSession(ctx, session, track)) : null
    return { session, upload: created && createHandles(ctx, created) }
  })
}

/**
 * Returns an upload session. The ID is the credential.
 * @throws AppError `not_found`, also after its collection is deleted; `expired` after its end, and after the key that
 *   created it is revoked
 */
export async function getUploadSession(ctx: Pick<Services, 'db' | 'clock'>, id: string): Promise<SessionWithColors> {
  const session = await ctx.db.uploadSession.findUnique({ where: { id }, include: withColors })
  if (!session || session.collection.deletedAt) throw notFound('uploadSessionId')
  if (session.expiresAt <= ctx.clock() || session.key?.revokedAt) {
    throw new AppError('expired', 'The upload session has expired. Create a new one.')
  }
  return session
}

/**
 * Creates a track in a session. Called once per file.
 * @throws AppError `too_large`
 */
export async function createUploadTrack(ctx: Context, session: SessionWithColors, input: NewTrack) {
  checkSize(ctx, input.fileSize)
  const track = await insertTrack(ctx.reader, inSession(ctx, session, input))
  return createHandles(ctx, track)
}

/**
 * Creates a track outside a session (contract, section 3). With a `sourceUrl`, a job fetches its recording from there,
 * and its upload address refuses a recording.
 * @throws AppError `not_found` for the collection or the creator; `too_large`, `invalid_input`
 */
export async function createTrack(ctx: Context, { sourceUrl, fileName, ...input }: CreateTrack): Promise<TrackUpload> {
  const scope = writeScope(ctx)
  checkSize(ctx, input.fileSize)
  const collectionId = collectionWithin(scope, input.collectionId)
  const source = sourceUrl ? readAddress(sourceUrl, ctx.config.isSourcePrivateAllowed) : null
  const where = { AND: [uploadableWhere(scope), { id: collectionId }] }
  const collection = await ctx.reader.readFirst('Collection', { where, select: { creatorId: true } })
  if (!collection) throw notFound('collectionId')
  const row = {
    ...input,
    fileName: fileName ?? (source ? fileNameIn(source) : ''),
    organizationId: scope.organizationId,
    collectionId,
    // The creator of a collection never changes.
    creatorId: uploadCreator(scope, collection, input.creatorId) ?? collection.creatorId,
    uploadExpiresAt: uploadEnd(ctx),
  }
  if (!sourceUrl) return createHandles(ctx, await insertTrack(ctx.reader, row))
  const track = await ctx.db.$transaction(async (tx) => {
    const created = await insertTrack(createTransactionReader(tx), row)
    await queuePull(ctx, tx, created, { sourceUrl, isFileNameGiven: typeof fileName === 'string' })
    return created
  })
  return createHandles(ctx, track, true)
}

function inSession(ctx: Context, session: SessionWithColors, input: NewTrack) {
  const { organizationId, collectionId, creatorId, id: uploadSessionId } = session
  return { ...input, organizationId, collectionId, creatorId, uploadSessionId, uploadExpiresAt: uploadEnd(ctx) }
}

const uploadEnd = (ctx: Services) => new Date(ctx.clock().getTime() + UPLOAD_SECONDS * 1000)

function createHandles(ctx: Services, track: TrackWithDomain, isPulled = false): TrackUpload {
  return {
    track,
    // The edge refuses uploads to a track with a source_url; a presigned bucket URL could not.
    trackUpload: uploadHandle(ctx, 'track', track, isPulled),
    trackCoverUpload: uploadHandle(ctx, 'track-cover', track),
  }
}

/** A key with the scope of a collection implies it; any other collection is not found. */
function collectionWithin(scope: Scope, collectionId: string | null | undefined): string {
  if (scope.collectionId) {
    if (collectionId && collectionId !== scope.collectionId) throw notFound('collectionId')
    return scope.collectionId
  }
  if (!collectionId) throw invalidInput('collectionId', 'is required')
  return collectionId
}
