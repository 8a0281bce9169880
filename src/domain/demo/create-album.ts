import { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import { withIdempotency } from '../../platform/http/idempotency.ts'
import { createKey } from '../access/key/keys.ts'
import { createCollection } from '../collection/service.ts'
import { updateTrack } from '../track/service.ts'
import { createTrack } from '../upload/service.ts'
import { album } from './album.ts'

const createdAlbum = z.object({ collectionId: z.string(), trackIds: z.array(z.string()), createdMs: z.number() })

/** The records of an album that were created, without the bytes of its cover and its recordings. */
export type CreatedAlbum = z.infer<typeof createdAlbum>

/** Creates the collection, the tracks and the share link of the album. Creates them once, and returns the same for a repetition. */
export async function createAlbum(
  ctx: Context,
  { organizationId, keyId: ownerId }: { organizationId: string; keyId: string },
): Promise<CreatedAlbum> {
  const request = { organizationId, ownerId, key: 'demo album', payload: '' }
  const { body } = await withIdempotency(ctx, request, async (inside) => JSON.stringify(await insertAlbum(inside)))
  return createdAlbum.parse(JSON.parse(body))
}

async function insertAlbum(ctx: Context): Promise<CreatedAlbum> {
  const { title, artist, description, color: playerColor } = album
  const now = ctx.clock()
  const collection = await createCollection(ctx, {
    title,
    playerSubtitle: artist,
    playerColor,
    description,
    author: artist,
    language: 'en',
    podcastCategory: 'Music',
  })
  const trackIds: string[] = []
  for (const [index, { fileName, ...texts }] of album.tracks.entries()) {
    const { track } = await createTrack(ctx, { collectionId: collection.id, fileName, metadata: {} })
    await updateTrack(ctx, track.id, {
      title: texts.title,
      description: texts.description,
      artist,
      album: title,
      trackNumber: index + 1,
      year: now.getUTCFullYear(),
    })
    trackIds.push(track.id)
  }
  await createKey(ctx, {
    apiKeyTypeId: 'share',
    title,
    collectionId: collection.id,
    variants: ['hq'],
    isDownloadable: false,
  })
  return { collectionId: collection.id, trackIds, createdMs: now.getTime() }
}
