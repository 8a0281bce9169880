import { describe, expect, test } from 'bun:test'
import { useTestService } from '../support/service.ts'
import {
  createCollection,
  createCreator,
  createForeign,
  createTrack,
  makeKey,
  ok,
  refused,
  TIMESTAMP,
  UNKNOWN_ID,
  UUID,
  UUID_V7,
  unique,
} from './support.ts'

const service = useTestService()

describe('2 Creator', () => {
  test('2 Creator | id | uuid | Creator ID (called `creator_id` in paths and wrappers)', async () => {
    const payload = ok(await service.v1('POST', '/creator', { body: { organization_index: unique() } }))
    expect(payload.creator.id).toMatch(UUID_V7)
    expect(payload.creator_id).toBe(payload.creator.id)
    expect(ok(await service.v1('GET', `/creator/${payload.creator_id}`)).creator).toEqual(payload.creator)
  })

  test('2 Creator | organization_id | uuid | Owning organization', async () => {
    expect((await createCreator(service)).organization_id).toBe(service.demo.organization_id)
    const foreign = await createForeign(service)
    const creator = await createCreator(service, {}, { key: foreign.key })
    expect(creator.organization_id).toBe(foreign.organizationId)
  })

  test('2 Creator | folder_id | uuid | Dedicated storage folder, provisioned when the creator is created', async () => {
    const [one, two] = [await createCreator(service), await createCreator(service)]
    expect(one.folder_id).toMatch(UUID)
    expect(one.folder_id).not.toBe(two.folder_id)
    const folder = await service.services.db.folder.findUniqueOrThrow({ where: { id: one.folder_id } })
    expect(folder).toMatchObject({ organizationId: service.demo.organization_id, deletedAt: null })
  })

  test("2 Creator | organization_index | string | Client's external identifier; required at creation; usable to resolve the creator later", async () => {
    const index = unique('their own id/ü ')
    const creator = await createCreator(service, { organization_index: index })
    expect(creator.organization_index).toBe(index)
    const list = ok(await service.v1('GET', `/creator?organization_index=${encodeURIComponent(index)}`))
    expect(list).toMatchObject({ count: 1, creators: [creator] })
    refused(await service.v1('POST', '/creator', { body: {} }), 400, 'invalid_input', 'organization_index')
  })

  test('2 Creator | metadata | object | Organization metadata', async () => {
    const metadata = { snake_case: { inner_key: [1, null, 'ü', { deep_key: true }] }, camelCase: 1, '': 0, 'a.b': '' }
    const creator = await createCreator(service, { metadata })
    expect(creator.metadata).toEqual(metadata)
    expect(ok(await service.v1('GET', `/creator/${creator.id}`)).creator.metadata).toEqual(metadata)
    expect((await createCreator(service)).metadata).toEqual({})
    for (const wrong of ['text', 1, [], true]) {
      const body = { organization_index: unique(), metadata: wrong }
      refused(await service.v1('POST', '/creator', { body }), 400, 'invalid_input', 'metadata')
    }
  })

  test('2 Creator | created_at | string |', async () => {
    const before = Date.now()
    const { created_at } = await createCreator(service)
    expect(created_at).toMatch(TIMESTAMP)
    expect(Math.abs(Date.parse(created_at) - before)).toBeLessThan(60_000)
  })

  test('2 Creator | updated_at | string |', async () => {
    const creator = await createCreator(service)
    expect(creator.updated_at).toMatch(TIMESTAMP)
    const body = { metadata: { changed: true } }
    const changed = ok(await service.v1('PUT', `/creator/${creator.id}`, { body })).creator
    expect(Date.parse(changed.updated_at)).toBeGreaterThanOrEqual(Date.parse(creator.updated_at))
    expect(changed.created_at).toBe(creator.created_at)
  })

  test('2 The `deleted_creator` object returned by delete contains only id, organization_id, folder_id, organization_index, metadata', async () => {
    const { created_at: _, updated_at: __, ...rest } = await createCreator(service, { metadata: { a: 1 } })
    const answer = ok(await service.v1('DELETE', `/creator/${rest.id}`))
    const { api_request_id, ...body } = answer
    expect(api_request_id).toMatch(UUID)
    expect(body).toEqual({ ok: true, creator_id: rest.id, deleted_creator: rest })
  })

  test('2 Creator has the fields of the table and no other', async () => {
    const fields = ['created_at', 'folder_id', 'id', 'metadata', 'organization_id', 'organization_index', 'updated_at']
    expect(Object.keys(await createCreator(service)).sort()).toEqual(fields)
  })
})

describe('4 Creators', () => {
  test('4 GET /v1/creator | limit | number | No | Maximum creators to return', async () => {
    for (let number = 0; number < 3; number++) await createCreator(service)
    expect(ok(await service.v1('GET', '/creator?limit=2')).creators).toHaveLength(2)
    expect(ok(await service.v1('GET', '/creator')).creators.length).toBeGreaterThanOrEqual(3)
  })

  test('4 GET /v1/creator | offset | number | No | Creators to skip', async () => {
    for (let number = 0; number < 3; number++) await createCreator(service)
    const { creators } = ok(await service.v1('GET', '/creator?limit=3'))
    expect(ok(await service.v1('GET', '/creator?limit=2&offset=1')).creators).toEqual(creators.slice(1))
  })

  test('4 GET /v1/creator: `ok`, `api_request_id`, `count` (number), `creators` (array of Creator)', async () => {
    const creator = await createCreator(service)
    const list = ok(await service.v1('GET', '/creator?limit=1'))
    expect(Object.keys(list).sort()).toEqual(['api_request_id', 'count', 'creators', 'ok'])
    expect(list.creators).toEqual([creator])
    const undeleted = { organizationId: service.demo.organization_id, deletedAt: null }
    expect(list.count).toBe(await service.services.db.creator.count({ where: undeleted }))
  })

  test('4 GET /v1/creator/:creator_id: `ok`, `api_request_id`, `creator_id` (uuid), `creator` (Creator)', async () => {
    const creator = await createCreator(service)
    const answer = ok(await service.v1('GET', `/creator/${creator.id}`))
    expect(answer).toEqual({ ok: true, api_request_id: answer.api_request_id, creator_id: creator.id, creator })
  })

  test('4 POST /v1/creator | organization_index | string | Yes', async () => {
    for (const body of [{}, { organization_index: null }, { organization_index: 7 }, { organization_index: '' }]) {
      refused(await service.v1('POST', '/creator', { body }), 400, 'invalid_input', 'organization_index')
    }
    expect((await createCreator(service, { organization_index: 'given' })).organization_index).toBe('given')
  })

  test('4 POST /v1/creator | metadata | object | No', async () => {
    expect((await createCreator(service, { metadata: { k: 'v' } })).metadata).toEqual({ k: 'v' })
    expect((await createCreator(service)).metadata).toEqual({})
  })

  test('4 POST /v1/creator: collections and tracks created with this `creator_id` are stored in that folder', async () => {
    const creator = await createCreator(service)
    const collection = await createCollection(service, { creator_id: creator.id })
    const track = await createTrack(service, { collection_id: collection.id, creator_id: creator.id })
    expect(track.base_path.split('/')).toContain(creator.folder_id)
    expect((await createTrack(service)).base_path).not.toContain(creator.folder_id)
  })

  test('4 PUT /v1/creator/:creator_id: `organization_index` (string, optional), `metadata` (object, optional)', async () => {
    const creator = await createCreator(service, { metadata: { kept: 1 } })
    const put = async (body: object) => ok(await service.v1('PUT', `/creator/${creator.id}`, { body }))
    const index = unique('renamed')
    const first = await put({ organization_index: index })
    expect(first.creator_id).toBe(creator.id)
    expect(first.creator).toMatchObject({ organization_index: index, metadata: { kept: 1 } })
    const second = await put({ metadata: { replaced: true } })
    expect(second.creator).toMatchObject({ organization_index: index, metadata: { replaced: true } })
    expect((await put({})).creator).toMatchObject({ organization_index: index, metadata: { replaced: true } })
  })

  test.each([
    ['organization_index', 5],
    ['organization_index', ''],
    ['organization_index', null],
    ['metadata', []],
  ])('4 PUT /v1/creator/:creator_id refuses %s = %p', async (field, value) => {
    const creator = await createCreator(service)
    const answer = await service.v1('PUT', `/creator/${creator.id}`, { body: { [field]: value } })
    refused(answer, 400, 'invalid_input', field)
  })

  test('4 DELETE /v1/creator/:creator_id: soft-delete', async () => {
    const { id, folder_id, organization_index } = await createCreator(service)
    ok(await service.v1('DELETE', `/creator/${id}`))
    const { db } = service.services
    expect((await db.creator.findUniqueOrThrow({ where: { id } })).deletedAt).toBeInstanceOf(Date)
    expect((await db.folder.findUniqueOrThrow({ where: { id: folder_id } })).deletedAt).toBeInstanceOf(Date)
    for (const method of ['GET', 'PUT', 'DELETE']) {
      refused(await service.v1(method, `/creator/${id}`), 404, 'not_found', 'creator_id')
    }
    const path = `/creator?organization_index=${organization_index}`
    expect(ok(await service.v1('GET', path))).toMatchObject({ count: 0, creators: [] })
  })

  test('4 The `creator_id` is passed when creating collections, tracks or upload sessions', async () => {
    const { id: creator_id } = await createCreator(service)
    const body = { collection_id: service.demo.collection_id, creator_id }
    expect((await createCollection(service, { creator_id })).creator_id).toBe(creator_id)
    expect((await createTrack(service, { creator_id })).creator_id).toBe(creator_id)
    const { upload_session } = ok(await service.v1('POST', '/upload_session', { body }))
    expect(upload_session.creator_id).toBe(creator_id)
  })
})

describe('3 Creator lifecycle', () => {
  const inUse =
    '7 409 | `DELETE /v1/creator/:creator_id` while the creator has undeleted collections or tracks | `ok` false, a message saying the creator cannot be deleted while collections or tracks exist and they must be deleted first, `api_request_id`'

  test(`${inUse} (a collection)`, async () => {
    const { id } = await createCreator(service)
    const collection = await createCollection(service, { creator_id: id })
    const { message } = refused(await service.v1('DELETE', `/creator/${id}`), 409, 'creator_in_use')
    expect(message).toMatch(/cannot be deleted while collections or tracks exist.*must be deleted first/)
    ok(await service.v1('GET', `/creator/${id}`))
    ok(await service.v1('DELETE', `/collection/${collection.id}`))
    ok(await service.v1('DELETE', `/creator/${id}`))
  })

  test(`${inUse} (a track)`, async () => {
    const { id } = await createCreator(service)
    const track = await createTrack(service, { creator_id: id })
    refused(await service.v1('DELETE', `/creator/${id}`), 409, 'creator_in_use')
    ok(await service.v1('DELETE', `/track/${track.id}`))
    ok(await service.v1('DELETE', `/creator/${id}`))
  })

  test('3 Creators never cascade: a refused delete leaves collections and tracks as they are', async () => {
    const { id } = await createCreator(service)
    const collection = await createCollection(service, { creator_id: id })
    const track = await createTrack(service, { collection_id: collection.id })
    refused(await service.v1('DELETE', `/creator/${id}`), 409, 'creator_in_use')
    ok(await service.v1('GET', `/collection/${collection.id}`))
    ok(await service.v1('GET', `/track/${track.id}`))
  })

  test('contract 4 organization_index: unique among the undeleted creators of an organization', async () => {
    const organization_index = unique()
    const body = { organization_index }
    const first = await createCreator(service, body)
    refused(await service.v1('POST', '/creator', { body }), 409, 'organization_index_taken', 'organization_index')
    const other = await createCreator(service)
    refused(await service.v1('PUT', `/creator/${other.id}`, { body }), 409, 'organization_index_taken')
    ok(await service.v1('PUT', `/creator/${first.id}`, { body }))
    const foreign = await createForeign(service)
    await createCreator(service, body, { key: foreign.key })
    ok(await service.v1('DELETE', `/creator/${first.id}`))
    await createCreator(service, body)
  })

  test('contract 2: a key scoped to a creator sees that creator only and makes no other', async () => {
    const [mine, other] = [await createCreator(service), await createCreator(service)]
    const key = await makeKey(service, 'api', { creatorId: mine.id })
    expect(ok(await service.v1('GET', '/creator', { key }))).toMatchObject({ count: 1, creators: [mine] })
    refused(await service.v1('GET', `/creator/${other.id}`, { key }), 404, 'not_found')
    refused(await service.v1('POST', '/creator', { key, body: { organization_index: unique() } }), 403, 'forbidden')
    refused(await service.v1('GET', `/creator/${UNKNOWN_ID}`), 404, 'not_found', 'creator_id')
  })
})
