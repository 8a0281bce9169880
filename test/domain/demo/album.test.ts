import { expect, test } from 'bun:test'
import sharp from 'sharp'
import { makeDemo } from '../../../src/cli/first-start.ts'
import { album } from '../../../src/domain/demo/album.ts'
import { drawCover } from '../../../src/domain/demo/cover/cover.ts'
import { engineRoom } from '../../../src/domain/demo/music/pieces.ts'
import { recordPiece } from '../../../src/domain/demo/music/record.ts'
import { type AlbumOwner, uploadAlbum } from '../../../src/domain/demo/upload-album.ts'
import type { Services } from '../../../src/platform/context.ts'
import { measure } from '../../support/audio.ts'
import { loudnessOf } from '../../support/loudness.ts'
import { stripes } from '../../support/picture.ts'
import { readEntries } from '../../support/queue.ts'
import { type TestService, useTestService } from '../../support/service.ts'

const signal = new AbortController().signal
const service = useTestService({ DEMO: 'on' })
const other = useTestService({ DEMO: 'on' })
const empty = useTestService()
const task = 'make_demo_album'
/** Bytes that are stored, and not processed. */
const files = { cover: stripes(8, [[8, [200, 80, 90]]]), recordings: album.tracks.map(() => new Uint8Array(4000)) }

async function readAlbum({ v1, demo }: TestService) {
  const { json } = await v1('GET', '/collection')
  const collections = json.collections.filter(({ id }: { id: string }) => id !== demo.collection_id)
  const tracks = []
  for (const { id } of collections) tracks.push(...(await v1('GET', `/collection/${id}/track`)).json.tracks)
  return { collections, tracks: tracks.sort((one, two) => one.order - two.order) }
}

const readOwner = async ({ services }: TestService): Promise<AlbumOwner> => {
  const [entry] = await readEntries(services.pool, { task })
  return entry?.payload as unknown as AlbumOwner
}

/** Services whose storage fails when the nth object is stored. */
function failingAt(services: Services, nth: number): Services {
  let stored = 0
  const receive: Services['storage']['receive'] = (...args) => {
    stored += 1
    return stored === nth ? Promise.reject(new Error('the process died')) : services.storage.receive(...args)
  }
  return { ...services, storage: { ...services.storage, receive } }
}

test('the first start queues the album once, and not for an empty demo', async () => {
  expect(await readEntries(service.services.pool, { task })).toHaveLength(1)
  expect(await makeDemo(service.services)).toBeNull()
  expect(await readEntries(service.services.pool, { task })).toHaveLength(1)
  expect(await readEntries(empty.services.pool, { task })).toEqual([])
})

test('an upload of the album that stopped is continued without duplicates', async () => {
  const owner = await readOwner(service)
  // The cover is the first object, the third recording the fourth.
  await expect(uploadAlbum(failingAt(service.services, 4), owner, files)).rejects.toThrow('the process died')
  await uploadAlbum(service.services, owner, files)
  await uploadAlbum(service.services, owner, files)

  const { collections, tracks } = await readAlbum(service)
  expect(collections).toMatchObject([{ title: 'Night Ferry', player_subtitle: 'Tonearm House Band' }])
  expect(tracks).toMatchObject(album.tracks.map(({ title }) => ({ player_title: title })))
  const { db } = service.services
  expect(await db.track.count({ where: { uploadCompletedAt: { not: null } } })).toBe(album.tracks.length)
  const keys = await db.apiKey.findMany({ where: { collectionId: { not: null } } })
  expect(keys).toMatchObject([{ kind: 'share', collectionId: collections[0].id, revokedAt: null }])
})

test('an album that a person deletes does not come back', async () => {
  const owner = await readOwner(other)
  await expect(uploadAlbum(failingAt(other.services, 3), owner, files)).rejects.toThrow('the process died')
  const { collections } = await readAlbum(other)
  expect((await other.v1('DELETE', `/collection/${collections[0].id}`)).status).toBe(200)
  await uploadAlbum(other.services, owner, files)
  expect(await readAlbum(other)).toEqual({ collections: [], tracks: [] })
})

test('the pieces are short, differ, and are loud enough without clipping', async () => {
  const hashes = new Set<bigint | number>()
  for (const { title, piece } of album.tracks) {
    const wav = await recordPiece(piece, signal)
    const { lufs, peak } = await loudnessOf(wav)
    const { durationSeconds: seconds } = await measure(wav)
    expect([title, seconds >= 20 && seconds <= 40, lufs >= -18 && lufs <= -13, peak < -1]).toEqual([
      title,
      true,
      true,
      true,
    ])
    hashes.add(Bun.hash(wav))
  }
  expect(hashes.size).toBe(album.tracks.length)
}, 60_000)

test('a stop ends the music and the cover early', async () => {
  const stop = AbortSignal.abort(new Error('the process stops'))
  await expect(recordPiece(engineRoom, stop)).rejects.toThrow('the process stops')
  await expect(drawCover(stop)).rejects.toThrow('the process stops')
})

test('the cover is a square picture in many colors', async () => {
  const cover = await drawCover(signal)
  expect(await sharp(cover).metadata()).toMatchObject({ format: 'png', width: 1200, height: 1200 })
  const { channels } = await sharp(cover).stats()
  for (const { min, max } of channels) expect(max - min).toBeGreaterThan(100)
})
