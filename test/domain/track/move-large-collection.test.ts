// Moves in a collection of many tracks: the same places as in a list, with few changed rows.
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createCollection, createTrack } from '../../spec/support.ts'
import { data, signIn, sql } from '../../support/administrators.ts'
import { type Json, useTestService } from '../../support/service.ts'

const TRACKS = 600

const service = useTestService()
const rowsOf = async (text: string, values?: unknown[]): Promise<Json[]> => (await sql(service, text, values)).rows
let owner: string
let collection: string
/** IDs in their places: the model that the database is compared with. */
let model: string[]

beforeAll(async () => {
  owner = (await signIn(service)).token as string
})
beforeEach(async () => {
  ;({ collection, model } = await createLarge(TRACKS))
})

/** A collection whose tracks are numbered from 0, as uploads do. */
async function createLarge(tracks: number) {
  const id: string = (await createCollection(service)).id
  const first = await createTrack(service, { collection_id: id })
  const rows = await rowsOf(
    `INSERT INTO track SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'order', n,
       'index', $3 || n, 'base_path', t.base_path || n))).*
     FROM track t, generate_series(1, $2::int - 1) n WHERE t.id = $1 RETURNING id, "order"`,
    [first.id, tracks, id.slice(-8)],
  )
  await rowsOf('UPDATE collection SET next_track_order = $2 WHERE id = $1', [id, tracks])
  rows.sort((a, b) => a.order - b.order)
  return { collection: id, model: [first.id as string, ...rows.map(({ id }) => id as string)] }
}

const MOVE = 'mutation ($id: ID!, $input: MoveTrackInput!) { moveTrack(id: $id, input: $input) { track { order } } }'
const move = async (id: string, input: object): Promise<number> =>
  (await data(service, MOVE, { id, input }, owner)).moveTrack.track.order

/** Moves a track in the list, and in the service. */
async function moveTo(from: number, to: number): Promise<void> {
  const [id = ''] = model.splice(from, 1)
  model.splice(to, 0, id)
  const [before, after] = [model[to - 1], model[to + 1]]
  await move(id, to % 2 === 0 && before ? { afterTrackId: before } : after ? { beforeTrackId: after } : {})
}

const ordersOf = async (id = collection): Promise<Map<string, number>> =>
  new Map(
    (await rowsOf('SELECT id, "order" FROM track WHERE collection_id = $1 ORDER BY "order", id', [id])).map((row) => [
      row.id,
      row.order,
    ]),
  )
const placesOf = async (id?: string): Promise<string[]> => [...(await ordersOf(id)).keys()]

/** Number of tracks whose order some work changes. */
async function changesOf(work: () => Promise<unknown>): Promise<number> {
  const before = await ordersOf()
  await work()
  return [...(await ordersOf())].filter(([id, order]) => before.get(id) !== order).length
}

/** Numbers from 0 to below a limit, the same in each run. */
function createRandom(seed: number) {
  let state = seed
  return (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

describe('within a collection', () => {
  test.each([
    ['from the end to the start', TRACKS - 1, 0],
    ['from the start to the end', 0, TRACKS - 1],
    ['forward by more than 200', 10, 500],
    ['backward by more than 200', 500, 10],
  ])('a move %s changes one track', async (_, from, to) => {
    expect(await changesOf(() => moveTo(from, to))).toBe(1)
    expect(await placesOf()).toEqual(model)
  })

  test('a move past few tracks leaves no gap, and none with a shared position', async () => {
    await moveTo(100, 105)
    await moveTo(400, 390)
    expect([...(await ordersOf()).values()]).toEqual(Array.from({ length: TRACKS }, (_, place) => place))
  })

  test('random moves have the same places as in a list', async () => {
    const random = createRandom(7)
    for (let count = 0; count < 120; count++) {
      await moveTo(random(TRACKS), random(TRACKS))
      if (count % 20 === 0) expect(await placesOf()).toEqual(model)
    }
    expect(await placesOf()).toEqual(model)
    expect(new Set((await ordersOf()).values()).size).toBe(TRACKS)
  })

  test('moves to one place space its neighbours again when their gap is exhausted, and only them', async () => {
    const changes: number[] = []
    for (let count = 0; count < 60; count++) changes.push(await changesOf(() => moveTo(TRACKS - 1, 300)))
    expect(await placesOf()).toEqual(model)
    const spaced = changes.filter((count) => count > 1)
    expect(spaced.length).toBeGreaterThan(0)
    expect(spaced.length).toBeLessThan(10)
    expect(Math.max(...spaced)).toBeLessThanOrEqual(65)
  })

  test('an exhausted gap between neighbours without room spaces a larger neighbourhood', async () => {
    await rowsOf(
      `UPDATE track SET "order" = 300 + ("order" - 300) / 16777216.0
       WHERE collection_id = $1 AND "order" BETWEEN 200 AND 400`,
      [collection],
    )
    await moveTo(0, 300)
    expect(await placesOf()).toEqual(model)
    const orders = [...(await ordersOf()).values()]
    expect(orders.every((order, place) => place === 0 || order > (orders[place - 1] as number))).toBe(true)
  })

  test('positions are whole numbers from 0, which never decrease in a list', async () => {
    for (const [from, to] of [
      [599, 0],
      [599, 0],
      [5, 400],
      [598, 300],
    ] as const) {
      await moveTo(from, to)
    }
    const QUERY = `query ($id: ID!) { collection(id: $id) { tracks(first: 200, orderBy: { field: ORDER, direction: ASC }) {
      nodes { id order } } } }`
    const { nodes } = (await data(service, QUERY, { id: collection }, owner)).collection.tracks
    expect(nodes.map(({ id }: Json) => id)).toEqual(model.slice(0, 200))
    const orders: number[] = nodes.map(({ order }: Json) => order)
    expect(orders.every(Number.isInteger)).toBe(true)
    expect(orders.toSorted((a, b) => a - b)).toEqual(orders)
    expect(orders[0]).toBe(0)
    for (const { id, order } of [...nodes.slice(0, 10), ...nodes.slice(-10)]) {
      expect((await service.v1('GET', `/track/${id}`)).json.track.order).toBe(order)
    }
  })

  test('pages by cursors have every track once, in its place', async () => {
    for (let count = 0; count < 5; count++) await moveTo(TRACKS - 1, 148 + count)
    const QUERY = `query ($id: ID!, $after: String) { collection(id: $id) { tracks(first: 150, after: $after,
      orderBy: { field: ORDER, direction: ASC }) { nodes { id } pageInfo { endCursor hasNextPage } } } }`
    const pages: string[] = []
    let after: string | null = null
    do {
      const { nodes, pageInfo }: Json = (await data(service, QUERY, { id: collection, after }, owner)).collection.tracks
      pages.push(...nodes.map(({ id }: Json) => id))
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after)
    expect(pages).toEqual(model)
  })

  test('a track that is added later is the last one, also after moves to the end', async () => {
    await moveTo(0, TRACKS - 1)
    await moveTo(0, TRACKS - 1)
    const { id } = await createTrack(service, { collection_id: collection })
    expect(await placesOf()).toEqual([...model, id])
  })
})

describe('into another collection', () => {
  test.each([
    ['its start', 0],
    ['its middle', 300],
    ['near its end', TRACKS - 5],
    ['its end', TRACKS],
  ])('a track gets its place at %s', async (_, place) => {
    const other = (await createTrack(service, { collection_id: (await createCollection(service)).id })).id as string
    const before = model[place]
    const changed = await changesOf(() =>
      move(other, before ? { beforeTrackId: before } : { collectionId: collection }),
    )
    model.splice(place, 0, other)
    expect(await placesOf()).toEqual(model)
    expect(changed).toBeLessThanOrEqual(Math.max(1, TRACKS - place + 1 <= 201 ? TRACKS - place + 1 : 1))
    const { id } = await createTrack(service, { collection_id: collection })
    expect(await placesOf()).toEqual([...model, id])
  })
})

test('moves, additions and deletions at the same time keep every track at a place of its own', async () => {
  const random = createRandom(11)
  const other: string = (await createCollection(service)).id
  const added: string[] = []
  const pick = () => model[random(TRACKS)] as string
  const moves = Array.from({ length: 30 }, () => [pick(), pick()] as const).filter(([a, b]) => a !== b)
  const deleted = model[50] as string
  await Promise.all([
    ...moves.map(([id, neighbour]) => move(id, { afterTrackId: neighbour }).catch(() => null)),
    ...[1, 2, 3].map(async () => added.push((await createTrack(service, { collection_id: collection })).id)),
    service.v1('DELETE', `/track/${deleted}`),
    move(model[77] as string, { collectionId: other }).catch(() => null),
  ])
  const [here, there] = [await ordersOf(), await ordersOf(other)]
  expect(new Set(here.values()).size).toBe(here.size)
  expect([...here.keys(), ...there.keys()].sort()).toEqual([...model, ...added].sort())
})

test('keys that are limited to a track are found by an index', async () => {
  const client = await service.services.pool.connect()
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off')
    const { rows } = await client.query(
      'EXPLAIN SELECT FROM api_key WHERE track_id = gen_random_uuid() AND collection_id IS NOT NULL',
    )
    expect(JSON.stringify(rows)).toContain('api_key_track_id_idx')
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
