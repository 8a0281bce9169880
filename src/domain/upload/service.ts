import type { Context, Services } from '../../platform/context.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { AppError, invalidInput, notFound } from '../../platform/errors.ts'
import { parse } from '../../platform/schema/input.ts'
import { UPLOAD_SECONDS, type UploadHandle, uploadHandle } from '../access/upload-handle.ts'
import { type Scope, writeScope } from '../access/viewer.ts'
import { creatorWithin, uploadableWhere } from '../collection/service.ts'
import { lockCreator } from '../creator/service.ts'
import { inheritedPlayerColor } from '../organization/inherit.ts'
import { createTrackInput, newTrackInput } from '../track/record.ts'
import { insertTrack, type TrackWithDomain } from '../track/service.ts'
import { fileNameIn, readAddress } from './pull/address.ts'
import { queuePull } from './pull/queue.ts'
import { checkSize } from './resumable/service.ts'
import { createUploadSessionInput, uploadSessionId } from './schema.ts'

/** A session with the colours that its widget is drawn in: the collection's, else the organization's. */
export const withColors = {
  collection: { select: { playerColor: true } },
  organization: { select: { playerColor: true } },
} as const
export type SessionWithColors = Prisma.UploadSessionGetPayload<{ include: typeof withColors }>

/** The colour that a session's widget is drawn in. */
export const sessionColor = ({ collection, organization }: Pick<SessionWithColors, 'collection' | 'organization'>) =>
  inheritedPlayerColor(organization, collection)

/** A new track and where to put its bytes. */
export interface TrackUpload {
  track: TrackWithDomain
  trackUpload: UploadHandle<'PUT'>
  trackCoverUpload: UploadHandle<'POST'>
}

/**
 * Creates an upload session, and a first track where one is described.
 * @throws AppError `not_found` for the collection or the creator, `invalid_input`
 * @see specification, section 4, Upload sessions
 */
export async function createUploadSession(ctx: Context, raw: unknown) {
  const scope = writeScope(ctx, ['api', 'uploader'])
  const { track, expiresIn, ...input } = parse(createUploadSessionInput, raw)
  checkSize(ctx, track?.fileSize)
  const collectionId = collectionWithin(scope, input.collectionId)
  const creatorId = creatorWithin(scope, input.creatorId)
  const createdAt = ctx.clock()
  return ctx.db.$transaction(async (tx) => {
    const collection = await tx.collection.findFirst({
      where: { AND: [uploadableWhere(scope), { id: collectionId }] },
      select: { creatorId: true },
    })
    if (!collection) throw notFound('collectionId')
    const sessionCreator = creatorId ?? collection.creatorId
    if (sessionCreator) await lockCreator(tx, scope.organizationId, sessionCreator)
    const session = await tx.uploadSession.create({
      data: {
        ...input,
        // The id is the credential: random, unlike every other id.
        id: crypto.randomUUID(),
        organizationId: scope.organizationId,
        collectionId,
        creatorId: sessionCreator,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + expiresIn * 1000),
      },
      include: withColors,
    })
    const created = track ? await insertTrack(tx, inSession(ctx, session, track)) : null
    return { session, upload: created && handlesOf(ctx, created) }
  })
}

/**
 * The session of an id, which is its own credential.
 * @throws AppError `not_found`; `expired` after its end
 */
export async function getUploadSession(ctx: Context, id: string): Promise<SessionWithColors> {
  const parsed = parse(uploadSessionId, { uploadSessionId: id })
  const session = await ctx.db.uploadSession.findUnique({ where: { id: parsed.uploadSessionId }, include: withColors })
  if (!session) throw notFound('uploadSessionId')
  if (session.expiresAt <= ctx.clock())
    throw new AppError('expired', 'The upload session has expired. Create a new one.')
  return session
}

/** Creates one track in a session; called once per file. */
export async function createUploadTrack(ctx: Context, id: string, raw: unknown) {
  const session = await getUploadSession(ctx, id)
  const input = parse(newTrackInput, raw)
  checkSize(ctx, input.fileSize)
  const track = await ctx.db.$transaction((tx) => insertTrack(tx, inSession(ctx, session, input)))
  return { session, upload: handlesOf(ctx, track) }
}

/**
 * Creates a track outside a session (contract, section 3). With a `sourceUrl`, a job takes its recording from there, and
 * its upload address takes none.
 */
export async function createTrack(ctx: Context, raw: unknown): Promise<TrackUpload> {
  const scope = writeScope(ctx)
  const { sourceUrl, fileName, ...input } = parse(createTrackInput, raw)
  checkSize(ctx, input.fileSize)
  const collectionId = collectionWithin(scope, input.collectionId)
  const creatorId = creatorWithin(scope, input.creatorId) ?? undefined
  const source = sourceUrl ? readAddress(sourceUrl, ctx.config.isSourcePrivateAllowed) : null
  const track = await ctx.db.$transaction(async (tx) => {
    const where = { AND: [uploadableWhere(scope), { id: collectionId }] }
    if (scope.creatorId && !(await tx.collection.findFirst({ where, select: { id: true } }))) {
      throw notFound('collectionId')
    }
    const created = await insertTrack(tx, {
      ...input,
      fileName: fileName ?? (source ? fileNameIn(source) : ''),
      organizationId: scope.organizationId,
      collectionId,
      creatorId,
      uploadExpiresAt: uploadEnd(ctx),
    })
    if (sourceUrl) await queuePull(ctx, tx, created, { sourceUrl, isFileNameGiven: typeof fileName === 'string' })
    return created
  })
  return handlesOf(ctx, track, source !== null)
}

function inSession(ctx: Context, session: SessionWithColors, input: ReturnType<typeof newTrackInput.parse>) {
  const { organizationId, collectionId, creatorId, id: uploadSessionId } = session
  return { ...input, organizationId, collectionId, creatorId, uploadSessionId, uploadExpiresAt: uploadEnd(ctx) }
}

const uploadEnd = (ctx: Services) => new Date(ctx.clock().getTime() + UPLOAD_SECONDS * 1000)

function handlesOf(ctx: Services, track: TrackWithDomain, isPulled = false): TrackUpload {
  return {
    track,
    // Of a recording that comes from elsewhere, none may land in the bucket either: the edge refuses it.
    trackUpload: uploadHandle(ctx, 'track', track.id, isPulled),
    trackCoverUpload: uploadHandle(ctx, 'track-cover', track.id),
  }
}

/** A key scoped to a collection implies it, and knows no other. */
function collectionWithin(scope: Scope, given: string | null | undefined): string {
  if (scope.collectionId) {
    if (given && given !== scope.collectionId) throw notFound('collectionId')
    return scope.collectionId
  }
  if (!given) throw invalidInput('collectionId', 'is required')
  return given
}
