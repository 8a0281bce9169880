// Tracks of a deleted collection that its task has not deleted yet: no list, count or sum has them.
import { beforeAll, expect, test } from 'bun:test'
import * as database from '../../support/administrators.ts'
import { fillLibrary } from '../../support/library.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
/** Two collections of the same creator. */
let ids: string[]
let creatorId: string
beforeAll(async () => {
  owner = (await database.signIn(service)).token
  const { pool, db } = service.services
  await fillLibrary(pool, service.demo.organization_id, { collections: 2, tracks: 3, files: 2 })
  const collections = await db.collection.findMany({
    where: { title: { startsWith: 'Collection ' } },
    orderBy: { title: 'asc' },
  })
  ids = collections.map(({ id }) => id)
  creatorId = collections[0]?.creatorId ?? ''
  await database.sql(service, 'UPDATE collection SET creator_id = $2 WHERE id = ANY ($1)', [ids, creatorId])
  await database.sql(service, 'UPDATE track SET creator_id = $2 WHERE collection_id = ANY ($1)', [ids, creatorId])
})

const READ = `query ($deleted: ID!, $creator: ID!, $organization: ID!) {
  all: tracks { totalCount nodes { id } }
  found: tracks(filter: { search: "track-" }) { totalCount nodes { id } }
  ofCollection: tracks(filter: { collectionId: $deleted }) { totalCount nodes { id } }
  creator(id: $creator) { tracks { totalCount nodes { id } } }
  organization(id: $organization) { tracks { totalCount nodes { id } } }
  storage: storageUsage(groupBy: []) { sourceBytes fileBytes }
  byCollection: storageUsage(groupBy: [COLLECTION]) { collectionId }
}`
const read = (): Promise<Json> =>
  database.data(
    service,
    READ,
    { deleted: ids[0], creator: creatorId, organization: service.demo.organization_id },
    owner,
  )
const counts = (answer: Json) =>
  [answer.all, answer.found, answer.ofCollection, answer.creator.tracks, answer.organization.tracks].map(
    ({ totalCount, nodes }: Json) => [totalCount, nodes.length],
  )

test('they vanish with the collection, and return with its restoration', async () => {
  const before = await read()
  const [total] = counts(before)[0] as [number, number]
  expect(counts(before)).toEqual([
    [total, total],
    [6, 6],
    [3, 3],
    [6, 6],
    [total, total],
  ])
  const setDeleted = (time: string | null) =>
    database.sql(service, 'UPDATE collection SET deleted_at = $2 WHERE id = $1', [ids[0], time])
  await setDeleted('2026-11-20T00:00:00Z')
  const { db } = service.services
  expect(await db.track.count({ where: { collectionId: ids[0] ?? '', deletedAt: null } })).toBe(3)
  const after = await read()
  const rest = total - 3
  expect(counts(after)).toEqual([
    [rest, rest],
    [3, 3],
    [0, 0],
    [3, 3],
    [rest, rest],
  ])
  expect(before.storage[0].sourceBytes - after.storage[0].sourceBytes).toBe(3 * 1_000_000)
  expect(before.storage[0].fileBytes - after.storage[0].fileBytes).toBe(3 * 2 * 123_456)
  const collectionsOf = ({ byCollection }: Json) => byCollection.map(({ collectionId }: Json) => collectionId)
  expect(collectionsOf(before)).toContain(ids[0])
  expect(collectionsOf(after)).toEqual(collectionsOf(before).filter((id: string) => id !== ids[0]))
  await setDeleted(null)
  expect(await read()).toEqual(before)
})
