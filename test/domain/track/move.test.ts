import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { createCollection, createForeign, createTrack } from '../../spec/support.ts'
import { type From, post, signIn } from '../../support/administrators.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
let owner: string
let collection: string
let tracks: string[]

const newCollection = async (): Promise<string> => (await createCollection(service)).id
const newTrack = async (collectionId: string): Promise<string> =>
  (await createTrack(service, { collection_id: collectionId })).id

beforeAll(async () => {
  owner = (await signIn(service)).token as string
})
beforeEach(async () => {
  collection = await newCollection()
  tracks = []
  for (let number = 0; number < 5; number++) tracks.push(await newTrack(collection))
})

const nth = (number: number) => tracks[number] ?? ''

/** @returns null, or the code and the message of the refusal */
async function move(id: string, input: Record<string, string>, from: From = {}): Promise<string | null> {
  const text = 'mutation ($id: ID!, $input: MoveTrackInput!) { moveTrack(id: $id, input: $input) { track { id } } }'
  const { json } = await post(service, text, { id, input }, { key: owner, ...from })
  const [error] = (json as Json).errors ?? []
  return error ? `${error.extensions.code}: ${error.message}` : null
}

/** Places of the tracks in a collection, by the order in which they were created. */
async function orderOf(id: string, names = tracks): Promise<number[]> {
  const { db } = service.services
  const rows = await db.track.findMany({ where: { collectionId: id, deletedAt: null }, orderBy: { order: 'asc' } })
  expect(new Set(rows.map(({ order }) => order)).size).toBe(rows.length)
  return rows.map((track) => names.indexOf(track.id))
}

test.each([
  ['forward, before another', 1, { before: 4 }, [0, 2, 3, 1, 4]],
  ['forward, after another', 1, { after: 3 }, [0, 2, 3, 1, 4]],
  ['backward, before another', 3, { before: 0 }, [3, 0, 1, 2, 4]],
  ['backward, after another', 3, { after: 0 }, [0, 3, 1, 2, 4]],
  ['to the end', 0, {}, [1, 2, 3, 4, 0]],
  ['before the next one, where it is', 1, { before: 2 }, [0, 1, 2, 3, 4]],
  ['after the one before it, where it is', 1, { after: 0 }, [0, 1, 2, 3, 4]],
  ['the last to the end', 4, {}, [0, 1, 2, 3, 4]],
] as [string, number, { before?: number; after?: number }, number[]][])(
  'moves a track %s',
  async (_, moved, { before, after }, expected) => {
    const input = {
      ...(before !== undefined && { beforeTrackId: nth(before) }),
      ...(after !== undefined && { afterTrackId: nth(after) }),
    }
    expect(await move(nth(moved), input)).toBeNull()
    expect(await orderOf(collection)).toEqual(expected)
  },
)

test('a track that is added later is the last one', async () => {
  await move(nth(0), {})
  const later = await newTrack(collection)
  expect(await orderOf(collection, [...tracks, later])).toEqual([1, 2, 3, 4, 0, 5])
})

test('a deleted track keeps its place among the others until it is restored', async () => {
  await service.v1('DELETE', `/track/${nth(2)}`)
  await move(nth(4), { beforeTrackId: nth(0) })
  await service.services.db.track.update({ where: { id: nth(2) }, data: { deletedAt: null } })
  expect(await orderOf(collection)).toEqual([4, 0, 1, 2, 3])
})

test('moves a track to another collection, with its sums and the keys that are limited to it', async () => {
  const other = await newCollection()
  const there = await newTrack(other)
  const { pool, db } = service.services
  const keyOf = async (trackId?: string) => {
    const text = 'mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { record { id } } }'
    const input = { title: 'Link', variant: 'hq', collectionId: collection, trackId }
    const { json } = await post(service, text, { input }, { key: owner })
    return (json as Json).data.createShareKey.record.id as string
  }
  const [ofTrack, ofCollection] = [await keyOf(nth(1)), await keyOf()]
  const base = (await db.track.findUniqueOrThrow({ where: { id: nth(1) } })).basePath

  expect(await move(nth(1), { beforeTrackId: there })).toBeNull()

  expect(await orderOf(other, [...tracks, there])).toEqual([1, 5])
  expect(await orderOf(collection)).toEqual([0, 2, 3, 4])
  expect((await db.track.findUniqueOrThrow({ where: { id: nth(1) } })).basePath).toBe(base)
  const keys = await db.apiKey.findMany({ where: { id: { in: [ofTrack, ofCollection] } }, orderBy: { id: 'asc' } })
  expect(keys.map(({ collectionId }) => collectionId)).toEqual([other, collection])
  const { rows } = await pool.query(
    'SELECT collection_id AS id, sum(tracks)::int AS tracks FROM track_sum WHERE collection_id = ANY($1) GROUP BY 1',
    [[collection, other]],
  )
  expect(Object.fromEntries(rows.map(({ id, tracks: count }) => [id, count]))).toEqual({ [collection]: 4, [other]: 2 })
  const later = await newTrack(other)
  expect(await orderOf(other, [...tracks, there, later])).toEqual([1, 5, 6])
})

test.each([
  ['both neighbours', () => ({ beforeTrackId: nth(2), afterTrackId: nth(3) }), 'afterTrackId: cannot be used together'],
  ['itself', () => ({ beforeTrackId: nth(1) }), 'beforeTrackId: must be another track'],
  ['an ID that is none', () => ({ afterTrackId: 'x' }), 'afterTrackId: must be a UUID'],
] as [string, () => Record<string, string>, string][])('refuses %s', async (_, input, message) => {
  expect(await move(nth(1), input())).toContain(`invalid_input: ${message}`)
  expect(await orderOf(collection)).toEqual([0, 1, 2, 3, 4])
})

test('refuses a neighbour of another collection than the given one, and unknown ones', async () => {
  const other = await newCollection()
  const there = await newTrack(other)
  const wrong = await move(nth(1), { collectionId: collection, beforeTrackId: there })
  expect(wrong).toBe('invalid_input: collectionId: must be the collection of beforeTrackId')
  const foreign = await createForeign(service)
  expect(await move(nth(1), { collectionId: foreign.collectionId })).toBe('not_found: collectionId: no such record')
  expect(await move(nth(1), { afterTrackId: foreign.trackId })).toBe('not_found: afterTrackId: no such record')
  await service.v1('DELETE', `/collection/${other}`)
  expect(await move(nth(1), { collectionId: other })).toBe('not_found: collectionId: no such record')
  expect(await orderOf(collection)).toEqual([0, 1, 2, 3, 4])
})

test('moves and additions at the same time leave every track at a place of its own', async () => {
  const other = await newCollection()
  const added: string[] = []
  await Promise.all([
    ...tracks.map((id, at) => move(id, at % 2 === 0 ? { beforeTrackId: nth((at + 1) % 5) } : { afterTrackId: nth(0) })),
    ...[0, 1, 2].map(async () => added.push(await newTrack(collection))),
    move(nth(4), { collectionId: other }),
  ])
  const [here, there] = [await orderOf(collection, [...tracks, ...added]), await orderOf(other)]
  expect([...here, ...there].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})
