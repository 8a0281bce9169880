// Rules that must hold however many ask at once.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Answer, type Json, useTestService } from '../support/service.ts'
import { untilBlocked } from '../support/until.ts'
import {
  createCollection,
  createCreator,
  createSession,
  createTrack,
  makeReady,
  ok,
  refused,
  unique,
} from './support.ts'

const AT_ONCE = 50
const service = useTestService()
let trackId: string
beforeAll(async () => {
  trackId = (await createTrack(service)).id
})

const atOnce = (send: (at: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, at) => send(at)))
const withStatus = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status)

describe('POST /v1/track/:track_id/variant', () => {
  test('50 concurrent identical: one 200 and 49 x 409', async () => {
    const body = { variant_type_id: 'transcode', index: unique('race') }
    const where = { trackId, index: body.index }
    await makeReady(service, trackId)
    const jobs = () => service.services.db.job.count({ where: { trackId } })
    const before = await jobs()
    const answers = await atOnce(() => service.v1('POST', `/track/${trackId}/variant`, { body }))
    expect(withStatus(answers, 200)).toHaveLength(1)
    expect(withStatus(answers, 409)).toHaveLength(AT_ONCE - 1)
    for (const { json } of withStatus(answers, 409)) expect(['track_processing', 'index_taken']).toContain(json.code)
    expect(await service.services.db.variant.count({ where })).toBe(1)
    expect(await jobs()).toBe(before + 1)
  })

  test('50 concurrent with an index each: one takes the track out of `ready`, 49 x 409', async () => {
    await makeReady(service, trackId)
    const answers = await atOnce((at) =>
      service.v1('POST', `/track/${trackId}/variant`, {
        body: { variant_type_id: 'transcode', index: `${unique('own')}-${at}` },
      }),
    )
    expect(withStatus(answers, 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) refused(answer, 409, 'track_processing')
  })
})

describe('DELETE /v1/creator/:creator_id', () => {
  /** @param place of the delete among the creations */
  const race = async (
    place: number,
    create: (creatorId: string) => Promise<Answer>,
    count: (creatorId: string) => Promise<number>,
  ) => {
    const { id } = await createCreator(service)
    let deletion: Promise<Answer> | undefined
    const answers = await atOnce((at) => {
      const creation = create(id)
      if (at === place) deletion = service.v1('DELETE', `/creator/${id}`)
      return creation
    })
    const deleted = await deletion
    const createdCount = withStatus(answers, 200).length
    expect(createdCount + withStatus(answers, 404).length).toBe(AT_ONCE)
    expect(await count(id)).toBe(createdCount)
    if (deleted?.status === 200) expect(createdCount).toBe(0)
    else refused(deleted as Answer, 409, 'creator_in_use')
  }
  const live = (creatorId: string) => ({ where: { creatorId, deletedAt: null } })

  test.each([0, 0, 1, 9, 25, 49])(
    '50 collection creations race it: never a live collection under a deleted creator (as number %d)',
    async (place) => {
      await race(
        place,
        (creator_id) => service.v1('POST', '/collection', { body: { title: 'T', creator_id } }),
        (id) => service.services.db.collection.count(live(id)),
      )
    },
  )

  test.each([0, 1, 25])(
    '50 track creations race it: never a live track under a deleted creator (as number %d)',
    async (place) => {
      const { id: collection_id } = await createCollection(service)
      await race(
        place,
        (creator_id) => service.v1('POST', '/track', { body: { collection_id, file_name: 'a', creator_id } }),
        (id) => service.services.db.track.count(live(id)),
      )
    },
  )

  test('a creation that began first is waited for, and then seen', async () => {
    const { id } = await createCreator(service)
    const { db, pool } = service.services
    let deletion: Promise<Answer> | undefined
    await db.$transaction(async (tx) => {
      await tx.collection.create({ data: { organizationId: service.demo.organization_id, creatorId: id, title: 'T' } })
      const [{ pid }] = await tx.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`
      deletion = service.v1('DELETE', `/creator/${id}`)
      await untilBlocked(pool, { by: pid })
    })
    refused((await deletion) as Answer, 409, 'creator_in_use')
  })

  test('50 deletes of one creator: one 200, 49 x 404', async () => {
    const { id } = await createCreator(service)
    const answers = await atOnce(() => service.v1('DELETE', `/creator/${id}`))
    expect(withStatus(answers, 200)).toHaveLength(1)
    expect(withStatus(answers, 404)).toHaveLength(AT_ONCE - 1)
  })
})

describe('POST /v1/creator', () => {
  test('50 with the same organization_index: one wins', async () => {
    const body = { organization_index: unique('same') }
    const answers = await atOnce(() => service.v1('POST', '/creator', { body }))
    expect(withStatus(answers, 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      refused(answer, 409, 'organization_index_taken', 'organization_index')
    }
    const { db } = service.services
    expect(await db.creator.count({ where: { organizationIndex: body.organization_index } })).toBe(1)
    // The request that lost leaves no folder behind either.
    expect(await db.folder.count({ where: { creator: null } })).toBe(0)
  })

  test('50 PUTs to the same organization_index: one wins', async () => {
    const creators = await Promise.all(Array.from({ length: AT_ONCE }, () => createCreator(service)))
    const body = { organization_index: unique('same') }
    const answers = await atOnce((at) => service.v1('PUT', `/creator/${creators[at]?.id}`, { body }))
    expect(withStatus(answers, 200)).toHaveLength(1)
    expect(withStatus(answers, 409)).toHaveLength(AT_ONCE - 1)
  })
})

describe('tracks of one collection', () => {
  test('50 created at once get 50 distinct orders', async () => {
    const { id: collection_id } = await createCollection(service)
    const answers = await atOnce(() => service.v1('POST', '/track', { body: { collection_id, file_name: 'a' } }))
    const orders = answers.map((answer) => ok(answer).track.order)
    expect(new Set(orders).size).toBe(AT_ONCE)
    expect(new Set(answers.map(({ json }) => json.track.index)).size).toBe(AT_ONCE)
  })

  test('50 added to one upload session at once get 50 distinct orders', async () => {
    const { id: collection_id } = await createCollection(service)
    const { upload_session_id } = await createSession(service, { collection_id })
    const answers = await atOnce(() =>
      service.v1('POST', `/upload/${upload_session_id}/track`, { key: null, body: { file_name: 'a' } }),
    )
    for (const answer of answers) ok(answer)
    const { tracks } = ok(await service.v1('GET', `/collection/${collection_id}/track?limit=200`))
    expect(new Set(tracks.map(({ order }: Json) => order)).size).toBe(AT_ONCE)
  })

  test('50 created while the collection is deleted: never a live track in a deleted collection', async () => {
    const { id } = await createCollection(service)
    const body = { collection_id: id, file_name: 'a' }
    let deletion: Promise<Answer> | undefined
    const answers = await atOnce((at) => {
      if (at === AT_ONCE / 2) deletion = service.v1('DELETE', `/collection/${id}`)
      return service.v1('POST', '/track', { body })
    })
    ok((await deletion) as Answer)
    expect(withStatus(answers, 200).length + withStatus(answers, 404).length).toBe(AT_ONCE)
    expect(await service.services.db.track.count({ where: { collectionId: id, deletedAt: null } })).toBe(0)
  })
})
