import type { Services } from '../../platform/context.ts'
import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { notFound } from '../../platform/errors.ts'
import { deliveryRoot } from '../delivery/address.ts'
import { type PublicImage, toCoverImage } from '../organization/cover/public.ts'
import { inheritedTheme } from '../organization/inherit.ts'
import type { ThemeColor } from '../organization/record.ts'
import { readTitle } from '../track/catalog/effective.ts'
import { withDomain } from '../track/service.ts'
import { uploadHandle } from '../upload-address/handle.ts'
import { waiting } from './direct.ts'
import { getUploadSession } from './service.ts'

/** An upload session, as a person without an account sees it. */
export interface UploadPage {
  sessionId: string
  collectionTitle: string
  organizationName: string
  cover: PublicImage | null
  /** Colors of the cover, largest area first. Empty without one. */
  theme: ThemeColor[]
  /** Color that the collection has been given. Null without one. */
  chosenColor: string | null
  /** Color of the organization. */
  fallbackColor: string
  /** Origin of the address of the cover. */
  filesOrigin: string
  expiresAt: Date
  /** The track that was created with the session. Null without one, and after its upload began. */
  prepared: PreparedUpload | null
}

type PreparedUpload = Awaited<ReturnType<typeof findPrepared>>

const coverColumns = { cover: true, isCoverOverridable: true, theme: true, isThemeOverridable: true } as const
const above = {
  organization: { select: { ...withDomain.organization.select, ...coverColumns, name: true, playerColor: true } },
  collection: { select: { ...coverColumns, title: true, playerColor: true } },
} as const

/**
 * Returns the data of the page of an upload session. The ID is the credential.
 * @throws AppError `not_found`; `expired` after its end
 */
export async function getUploadPage(services: Services, id: string): Promise<UploadPage> {
  const session = await getUploadSession(services, id)
  const where = { id: session.collectionId, deletedAt: null }
  const collection = await services.db.collection.findFirst({
    where,
    select: { ...above.collection.select, organization: above.organization },
  })
  if (!collection) throw notFound('uploadSessionId')
  const { organization } = collection
  return {
    sessionId: id,
    collectionTitle: collection.title,
    organizationName: organization.name,
    cover: toCoverImage(services, organization, { organization, collection })?.regular ?? null,
    theme: inheritedTheme({ organization, collection }) as ThemeColor[],
    chosenColor: collection.playerColor,
    fallbackColor: organization.playerColor,
    filesOrigin: new URL(deliveryRoot(services, organization.domain)).origin,
    expiresAt: session.expiresAt,
    prepared: await findPrepared(services, session),
  }
}

/** A session and its first track are created in one transaction, which takes less time. */
const TRANSACTION_MS = 5000

/** Finds the only track of a session, if it was created with the session and no upload of it has begun. */
async function findPrepared(services: Services, session: { id: string; createdAt: Date }) {
  const { db } = services
  const tracks = await db.track.findMany({ where: { uploadSessionId: session.id }, select: { id: true }, take: 2 })
  const [first] = tracks
  if (!first || tracks.length > 1) return null
  const createdAt = { lte: new Date(session.createdAt.getTime() + TRANSACTION_MS) }
  const track = await db.track.findFirst({
    where: { ...waiting, id: first.id, createdAt, uploadActiveAt: null, resumableUpload: null },
    select: {
      id: true,
      organizationId: true,
      playerTitle: true,
      fileName: true,
      fileNameOriginal: true,
      info: true,
      announcedBytes: true,
    },
  })
  if (!track) return null
  return {
    trackId: track.id,
    title: readTitle(track),
    /** Size that its recording must have. Null for any. */
    bytes: track.announcedBytes === null ? null : Number(track.announcedBytes),
    upload: uploadHandle(services, 'track', track),
    coverUpload: uploadHandle(services, 'track-cover', track),
  }
}

/** State of a track of an upload session. */
export interface UploadState {
  id: string
  status: TrackStatus
  /** Of the current run. 0 to 99. */
  progressPercent: number
  /** The reason for a failure as a stable word (guide "Status codes"). Null without one. */
  statusCode: string | null
  /** The reason as a sentence. Null without one. */
  statusText: string | null
}

/**
 * Returns the states of tracks. Tracks of other sessions and deleted ones are omitted.
 * @throws AppError `not_found`; `expired` after the end of the session
 */
export async function readUploadStates(services: Services, sessionId: string, ids: string[]): Promise<UploadState[]> {
  await getUploadSession(services, sessionId)
  const tracks = await services.db.track.findMany({
    where: { id: { in: ids }, uploadSessionId: sessionId, deletedAt: null },
    select: { id: true, status: true, progress: true, statusCode: true, statusText: true },
  })
  return tracks.map(({ progress, ...track }) => ({ ...track, progressPercent: progress }))
}
