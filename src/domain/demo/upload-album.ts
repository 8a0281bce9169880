import type { Context, Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { acceptCover } from '../upload/accept-cover.ts'
import { acceptTrack } from '../upload/accept-track.ts'
import type { UploadBody } from '../upload/receive-body.ts'
import { UPLOAD_SECONDS } from '../upload-address/handle.ts'
import { createAlbum } from './create-album.ts'

/** The organization of an album, and the key that creates it. */
export interface AlbumOwner {
  organizationId: string
  keyId: string
}

/** Files of an album. */
export interface AlbumFiles {
  cover: Uint8Array
  /** In the order of its tracks. */
  recordings: readonly Uint8Array[]
}

/**
 * Creates the album of a demo organization, and uploads its files by the use cases that a client would use. A repetition
 * continues: it uploads what is missing, and nothing that a person has deleted or replaced.
 */
export async function uploadAlbum(services: Services, owner: AlbumOwner, files: AlbumFiles): Promise<void> {
  const { collectionId, trackIds, createdMs: issuedMs } = await createAlbum(toContext(services, owner), owner)
  const expiresMs = services.clock().getTime() + UPLOAD_SECONDS * 1000
  const grant = { organizationId: owner.organizationId, issuedMs, expiresMs }
  const cover = { ...grant, target: 'collection-cover', id: collectionId } as const
  await acceptOnce(() => acceptCover(services, cover, toBody(files.cover)))
  for (const [index, recording] of files.recordings.entries()) {
    const track = { ...grant, target: 'track', id: trackIds[index] ?? '' } as const
    await acceptOnce(() => acceptTrack(services, track, toBody(recording)))
  }
}

/** A request of the demo organization's key. */
const toContext = (services: Services, owner: AlbumOwner): Context => ({
  ...services,
  viewer: { type: 'key', kind: 'api', collectionId: null, creatorId: null, expiresAt: null, ...owner },
  requestId: currentRequestId(),
  address: null,
  userAgent: null,
})

function toBody(bytes: Uint8Array): UploadBody {
  async function* chunks() {
    yield bytes
  }
  return { chunks: chunks(), declaredBytes: bytes.byteLength }
}

/** An earlier attempt may have uploaded the bytes, and a person may have deleted the record since. */
async function acceptOnce(accept: () => Promise<unknown>): Promise<void> {
  try {
    await accept()
  } catch (error) {
    const isEnded = error instanceof AppError && ['upload_completed', 'expired', 'not_found'].includes(error.code)
    if (!isEnded) throw error
  }
}
