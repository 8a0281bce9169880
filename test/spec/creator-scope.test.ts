// Records of a creator: their places, how they are found, and the reach of a key of that creator.
import { beforeAll, describe, expect, test } from 'bun:test'
import { basename } from 'node:path'
import { tone } from '../support/audio.ts'
import { stripes } from '../support/picture.ts'
import { type Json, useTestService } from '../support/service.ts'
import {
  createCollection,
  createCreator,
  createForeign,
  createTrack,
  makeKey,
  ok,
  refused,
  UNKNOWN_ID,
} from './support.ts'

const service = useTestService()
let mine: Json
let other: Json
let collection: Json
let otherCollection: Json
let key: string

beforeAll(async () => {
  // Other variants are not generated: no test here reads their files.
  const index = { notIn: ['lq', 'cover'] }
  await service.services.db.variant.updateMany({ where: { index }, data: { deletedAt: new Date() } })
  ;[mine, other] = [await createCreator(service), await createCreator(service)]
  collection = await createCollection(service, { creator_id: mine.id })
  otherCollection = await createCollection(service, { creator_id: other.id })
  key = await makeKey(service, 'api', { creatorId: mine.id })
})

test('files and covers are in the folder of their creator, and are delivered from there', async () => {
  const upload = ok(await service.v1('POST', '/track', { body: { collection_id: collection.id, file_name: 'a.wav' } }))
  const { collection_cover_upload } = ok(await service.v1('POST', `/collection/${collection.id}/cover`))
  const cover = stripes(300, [[300, [0, 0, 200]]])
  for (const [handle, body] of [
    [upload.track_upload, await tone(1)],
    [upload.track_cover_upload, cover],
    [collection_cover_upload, cover],
  ] as const) {
    expect((await service.fetchEdge(handle.upload_url, { method: handle.method, body })).status).toBe(200)
  }
  await service.runJobs()
  const folder = `${service.demo.organization_id}/${mine.folder_id}/${collection.id}`
  const { files } = ok(await service.v1('GET', `/track/${upload.track_id}`))
  expect(files.map((file: Json) => [file.variant.index, file.is_success])).toEqual([
    ['lq', true],
    ['cover', true],
  ])
  for (const file of files) {
    expect(file.path).toStartWith(`${folder}/`)
    expect((await service.fetchEdge(file.url)).status).toBe(200)
  }
  const stored = (await service.objects.keys(`files/${folder}/`)).map((key) => basename(key))
  for (const { variant } of files) expect(stored.some((name) => name.includes(variant.id))).toBe(true)
  expect(stored.filter((name) => /^cover-.*\.jpg$/.test(name))).toHaveLength(4)
  const query = `{ collection(id: "${collection.id}") { coverImage { icon { url } large { url webp { url } } } } }`
  const { icon, large } = (await service.graphql(query)).data.collection.coverImage
  for (const url of [icon.url, large.url, large.webp.url]) {
    expect(new URL(url).pathname).toStartWith(`/${folder}/cover.`)
    expect((await service.fetchEdge(url)).status).toBe(200)
  }
})

test('collections and tracks are listed by creator', async () => {
  const list = async (path: string) => ok(await service.v1('GET', path))
  const shared = await createCollection(service)
  const inShared = await createTrack(service, { collection_id: shared.id, creator_id: mine.id })
  await createTrack(service, { collection_id: shared.id })
  expect(await list(`/collection?creator_id=${mine.id}`)).toMatchObject({
    count: 1,
    collections: [{ id: collection.id }],
  })
  const tracks = await list(`/collection/${shared.id}/track?creator_id=${mine.id}`)
  expect(tracks).toMatchObject({ count: 1, tracks: [{ id: inShared.id, creator_id: mine.id }] })
  expect((await list(`/collection/${shared.id}/track?creator_id=${other.id}`)).count).toBe(0)
  for (const path of ['/collection', `/collection/${shared.id}/track`]) {
    refused(await service.v1('GET', `${path}?creator_id=x`), 400, 'invalid_input', 'creator_id')
  }
})

test('a key of one creator puts nothing into the collection of another', async () => {
  const uploader = await makeKey(service, 'uploader', { creatorId: mine.id })
  const body = { collection_id: otherCollection.id, file_name: 'a.wav' }
  refused(await service.v1('POST', '/track', { key, body }), 404, 'not_found', 'collection_id')
  for (const each of [key, uploader]) {
    refused(await service.v1('POST', '/upload_session', { key: each, body }), 404, 'not_found', 'collection_id')
  }
  expect(ok(await service.v1('GET', `/collection/${otherCollection.id}/track`)).count).toBe(0)
})

test.each([
  ['its own collection', async () => collection.id],
  ['a collection without a creator', async () => (await createCollection(service)).id],
] as const)('a key of one creator puts tracks of that creator into %s', async (_, collectionId) => {
  const collection_id = await collectionId()
  const track = await createTrack(service, { collection_id }, { key })
  expect(track.creator_id).toBe(mine.id)
  const session = ok(await service.v1('POST', '/upload_session', { key, body: { collection_id } }))
  expect(session.upload_session.creator_id).toBe(mine.id)
  const path = `/upload/${session.upload_session_id}/track`
  const payload = ok(await service.v1('POST', path, { key: null, body: { file_name: 'b.wav' } }))
  expect(payload.track.path.split('/')).toContain(mine.folder_id)
  ok(await service.v1('GET', `/track/${payload.track_id}`, { key }))
})

test('a filter does not widen what a key sees', async () => {
  expect(ok(await service.v1('GET', `/collection?creator_id=${other.id}`, { key })).count).toBe(0)
  expect(ok(await service.v1('GET', '/creator', { key }))).toMatchObject({ count: 1, creators: [{ id: mine.id }] })
})

describe('a key of one collection attributes uploads only to the creator of that collection or to none', () => {
  let shared: Json
  let foreign: string
  beforeAll(async () => {
    shared = await createCollection(service)
    foreign = (await createForeign(service)).creatorId
  })
  const operations = {
    createTrack: 'mutation ($input: CreateTrackInput!) { createTrack(input: $input) { track { creator { id } } } }',
    createUploadSession:
      'mutation ($input: CreateUploadSessionInput!) { createUploadSession(input: $input) { uploadSession { creatorId } } }',
  }

  test.each([
    ['POST', '/track', 'api'],
    ['POST', '/upload_session', 'api'],
    ['POST', '/upload_session', 'uploader'],
  ] as const)('%s %s with an %s key', async (method, path, kind) => {
    const send = async (to: Json, creator_id: string | null | undefined) =>
      service.v1(method, path, {
        key: await makeKey(service, kind, { collectionId: to.id }),
        body: { file_name: 'a.wav', creator_id },
      })
    const creatorOf = ({ track, upload_session: session }: Json) => (track ?? session).creator_id
    for (const creatorId of [mine.id, undefined, null])
      expect(creatorOf(ok(await send(collection, creatorId)))).toBe(mine.id)
    for (const creatorId of [undefined, null]) expect(creatorOf(ok(await send(shared, creatorId)))).toBeNull()
    for (const creatorId of [other.id, foreign, UNKNOWN_ID]) {
      refused(await send(collection, creatorId), 404, 'not_found', 'creator_id')
      refused(await send(shared, creatorId), 404, 'not_found', 'creator_id')
    }
    // A key without a scope may.
    expect(creatorOf(ok(await service.v1(method, path, { body: bodyFor(other.id) })))).toBe(other.id)
  })
  const bodyFor = (creator_id: string) => ({ collection_id: shared.id, file_name: 'a.wav', creator_id })

  test.each(Object.entries(operations))('GraphQL %s', async (name, operation) => {
    const scoped = await makeKey(service, 'api', { collectionId: collection.id })
    const send = (creatorId: string) =>
      service.graphql(operation, { input: { creatorId, ...(name === 'createTrack' && { fileName: 'a.wav' }) } }, scoped)
    expect((await send(mine.id)).errors).toBeUndefined()
    const [error] = (await send(other.id)).errors
    expect([error.extensions.code, error.message]).toEqual(['not_found', expect.stringContaining('creatorId')])
  })
})
