// Cursors of every list (contract, section 1): the lists are those of the schema and of the routes.
import { beforeAll, describe, expect, test } from 'bun:test'
import { insertAdministrator } from '../../src/domain/access/administrator/service.ts'
import { createOrganization } from '../../src/domain/organization/service.ts'
import { Prisma } from '../../src/platform/db/generated/client/client.ts'
import { findModel } from '../../src/platform/db/query/models.ts'
import { restRoutes } from '../../src/roles/gateway/routes.ts'
import { schema } from '../../src/roles/gateway/schema.ts'
import { data, post, signIn } from '../support/administrators.ts'
import { type Connection, findConnections, pageOperation } from '../support/connections.ts'
import { fillLists, MIN_ROWS, type Parents } from '../support/lists.ts'
import { type Json, useTestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'

const service = useTestService()
const connections = findConnections(schema)
const rows = connections.map((connection) => [connection.name, connection] as const)

interface Side {
  token: string
  parents: Parents
}
let [ownSide, foreign]: Side[] = []
/** A cursor of each list in its default order, by its name. */
const cursors = new Map<string, string>()

beforeAll(async () => {
  const { services, demo } = service
  ownSide = { token: (await signIn(service)).token, parents: await fillLists(service, demo.organization_id) }
  const other = await createOrganization(services, 'Other')
  const email = 'owner@other.example.com'
  const { password } = await insertAdministrator(services, other.id, { email, role: 'owner' })
  const { token } = await signIn(service, { email, password })
  foreign = { token, parents: await fillLists(service, other.id) }
  for (const connection of connections) cursors.set(connection.name, (await cursorsOf(connection))[1] as string)
}, 120_000)

const read = async (connection: Connection, variables: object, { order, which, side = ownSide }: Place = {}) => {
  const { token, parents } = side as Side
  const query = pageOperation(schema, connection, parents, order, which)
  const { json } = await post(service, query, variables, { key: token })
  return json
}
interface Place {
  order?: string
  /** Which of the parents. Defaults to the first. */
  which?: number
  side?: Side
}

async function edgesOf(connection: Connection, variables: object, place?: Place): Promise<Json[]> {
  const { data, errors } = await read(connection, variables, place)
  expect(errors, connection.name).toBeUndefined()
  return (data.parent ?? data).page.edges
}
const idsOf = (edges: Json[]): string[] => edges.map(({ node }) => node.id)
const cursorsOf = async (connection: Connection, place?: Place): Promise<string[]> =>
  (await edgesOf(connection, { first: MIN_ROWS }, place)).map(({ cursor }) => cursor)

/** An answer without what differs between requests. */
const bare = ({ data, errors }: Json) => ({
  data,
  errors: errors?.map(({ message, path, extensions: { code } }: Json) => ({ message, path, code })),
})

test('the lists of the schema are found', () => {
  const names = connections.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(20)
  for (const name of ['Query.tracks', 'Collection.tracks', 'PlaySession.tracks', 'Query.events']) {
    expect(names).toContain(name)
  }
})

test('a list without a record in the fixtures is reported', () => {
  const nested = connections.find(({ name }) => name === 'Track.jobs') as Connection
  expect(() => pageOperation(schema, nested, {})).toThrow('Track.jobs cannot be reached')
})

describe('pages in every order have every record once, in both directions', () => {
  test.each(rows)('%s', async (_, connection) => {
    for (const order of connection.orders) {
      const all = idsOf(await edgesOf(connection, { first: 200 }, { order }))
      expect(all.length).toBeGreaterThanOrEqual(MIN_ROWS)
      const size = Math.ceil(all.length / 4)
      const [forwards, backwards]: [string[], string[]] = [[], []]
      for (let after: string | null = null; ; ) {
        const edges = await edgesOf(connection, { first: size, after }, { order })
        if (edges.length === 0) break
        forwards.push(...idsOf(edges))
        after = edges.at(-1).cursor
      }
      for (let before: string | null = null; ; ) {
        const edges = await edgesOf(connection, { last: size, before }, { order })
        if (edges.length === 0) break
        backwards.unshift(...idsOf(edges))
        before = edges[0].cursor
      }
      expect([forwards, backwards], order).toEqual([all, all])
    }
  })
})

/** Texts that resemble a cursor and are invalid. */
function altered(cursor: string): string[] {
  const positions = Array.from({ length: 12 }, (_, n) => Math.floor((n * (cursor.length - 1)) / 11))
  const changed = positions.map((at) => {
    const character = cursor[at] === 'A' ? 'B' : 'A'
    return cursor.slice(0, at) + character + cursor.slice(at + 1)
  })
  const lengths = [1, 10, 22, cursor.length - 1].map((length) => cursor.slice(0, length))
  return [...changed, ...lengths, '', ' ', `${cursor}A`, `${cursor}=`, ` ${cursor}`, cursor + cursor]
}

/** Cursors of the form before there were tags. */
const untagged = (...keys: string[]) => keys.map((key) => Buffer.from(`after:${key}`).toString('base64url'))

describe('any other cursor is refused alike, and no statement depends on it', () => {
  test.each(rows)(
    '%s',
    async (_, connection) => {
      const [edge] = await edgesOf(connection, { first: 1 })
      const [foreignEdge] = await edgesOf(connection, { first: 1 }, { side: foreign })
      const ofOtherLists = [...cursors].filter(([name]) => name !== connection.name).map(([, cursor]) => cursor)
      const ofOtherOrders = []
      for (const order of connection.orders.slice(1)) ofOtherOrders.push((await cursorsOf(connection, { order }))[0])
      const [ownCursor, unknown] = [edge.cursor, crypto.randomUUID()]
      const others = [
        foreignEdge.cursor,
        ...ofOtherLists,
        ...ofOtherOrders.filter((cursor) => cursor !== ownCursor),
        ...altered(ownCursor),
        ...untagged(edge.node.id, foreignEdge.node.id, unknown, '1', '0', '999999999999'),
      ]
      const watched = watchStatements(service.services.pool)
      for (const [argument, size] of [
        ['after', { first: 2 }],
        ['before', { last: 2 }],
      ] as const) {
        const watch = async (cursor: string) => {
          watched.texts.length = 0
          const answer = bare(await read(connection, { ...size, [argument]: cursor }))
          return { answer, statements: new Set(watched.texts) }
        }
        const expected = await watch('x')
        expect(expected.answer.errors).toEqual([
          expect.objectContaining({ message: `${argument}: must be a cursor of this list`, code: 'invalid_input' }),
        ])
        for (const cursor of others) expect(await watch(cursor), cursor).toEqual(expected)
        expect((await read(connection, { ...size, [argument]: ownCursor })).errors).toBeUndefined()
      }
      watched.stop()
    },
    60_000,
  )
})

describe('the cursor of another parent is refused like any other', () => {
  // A viewer sees one organization.
  const nested = rows.filter(([, { parent }]) => !['Query', 'Organization'].includes(parent.name))
  test.each(nested)('%s', async (_, connection) => {
    const [cursor] = await cursorsOf(connection, { which: 1 })
    expect(cursor).toBeString()
    const expected = bare(await read(connection, { first: 2, after: 'x' }))
    expect(bare(await read(connection, { first: 2, after: cursor }))).toEqual(expected)
    expect((await edgesOf(connection, { first: 2, after: cursor }, { which: 1 })).length).toBeGreaterThan(0)
  })

  test('in lists of several parents', async () => {
    const tracks = connections.find(({ name }) => name === 'Collection.tracks') as Connection
    const [cursor] = await cursorsOf(tracks)
    const query = 'query ($after: String) { collections { nodes { tracks(after: $after) { nodes { id } } } } }'
    const ask = async (after: string) => (await post(service, query, { after }, { key: ownSide?.token })).json
    const [answer, expected] = [await ask(cursor as string), await ask('x')]
    expect([answer.data, answer.errors.length]).toEqual([null, 1])
    expect(answer.errors[0].message).toBe(expected.errors[0].message)
  })
})

/** The table that has a record. */
async function tableOf(id: string): Promise<string> {
  for (const name of Object.keys(Prisma.ModelName)) {
    const { table, types, isView } = findModel(name)
    if (isView || types.get('id') !== 'String') continue
    const { rowCount } = await service.services.pool.query(`SELECT FROM ${table} WHERE id::text = $1`, [id])
    if (rowCount) return table
  }
  throw new Error(`no table has ${id}`)
}

/** Runs `use` while a record is removed from its table, without regard to what refers to it. */
async function withoutRecord(id: string, use: () => Promise<void>): Promise<void> {
  const { pool } = service.services
  const table = await tableOf(id)
  const unchecked = (text: string) => pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${text}; COMMIT`)
  await unchecked(
    `CREATE TABLE removed AS SELECT * FROM ${table} WHERE id = '${id}'; DELETE FROM ${table} WHERE id = '${id}'`,
  )
  try {
    await use()
  } finally {
    await unchecked(`INSERT INTO ${table} SELECT * FROM removed; DROP TABLE removed`)
  }
}

describe('a cursor continues from its place after its record was deleted', () => {
  test.each(rows)(
    '%s',
    async (_, connection) => {
      for (const order of connection.orders) {
        const all = await edgesOf(connection, { first: 200 }, { order })
        const [before, { cursor, node }, after] = [all.slice(0, 2), all[2], all.slice(3)]
        await withoutRecord(node.id, async () => {
          expect(idsOf(await edgesOf(connection, { first: 200, after: cursor }, { order })), order).toEqual(
            idsOf(after),
          )
          expect(idsOf(await edgesOf(connection, { last: 200, before: cursor }, { order })), order).toEqual(
            idsOf(before),
          )
        })
      }
    },
    60_000,
  )
})

test.each([
  ['deletedTracks', 'restoreTrack'],
  ['deletedCollections', 'restoreCollection'],
])('a cursor of %s continues after its record was restored', async (list, mutation) => {
  const { token } = ownSide as Side
  const page = 'edges { cursor node { id } } pageInfo { hasNextPage }'
  const [first, second, ...rest] = (await data(service, `{ ${list} { ${page} } }`, {}, token))[list].edges
  await data(service, `mutation { ${mutation}(id: "${second.node.id}") { __typename } }`, {}, token)
  const read = async (args: string) => (await data(service, `{ ${list}(${args}) { ${page} } }`, {}, token))[list]
  const pageInfo = { hasNextPage: false }
  expect(await read(`first: 200, after: "${second.cursor}"`)).toEqual({ edges: rest, pageInfo })
  expect((await read(`last: 200, before: "${second.cursor}"`)).edges).toEqual([first])
})

describe('routes of /v1 with a cursor', () => {
  const names = ['after', 'before', 'cursor']
  const routes = restRoutes.flatMap(({ method, path, query }) =>
    Object.keys(query?.shape ?? {}).flatMap((name) =>
      names.includes(name) ? [[`${method} ${path}`, name] as const] : [],
    ),
  )
  const get = (route: string, name: string, cursor: string | null, side = ownSide as Side) => {
    const query = cursor === null ? '' : `&${name}=${encodeURIComponent(cursor)}`
    return service.request('GET', `${route.slice('GET '.length)}?limit=2${query}`, { key: side.token })
  }

  test('the routes are found', () => expect(routes).toEqual([['GET /v1/event', 'after']]))

  test.each(routes)('%s: refuses any other cursor alike, and continues after a deletion', async (route, name) => {
    const { events, next } = (await get(route, name, null)).json
    const { json: last } = await get(route, name, next)
    const theirs = (await get(route, name, null, foreign as Side)).json
    const others = [theirs.next, ...altered(next), ...untagged('1', events[0].id, theirs.events[0].id)]
    for (const list of connections.filter((connection) => connection.name !== 'Query.events')) {
      others.push(cursors.get(list.name))
    }
    const expected = {
      ok: false,
      status: 400,
      code: 'invalid_input',
      message: `${name}: must be a cursor of this list`,
    }
    for (const cursor of others) {
      const { status, json } = await get(route, name, cursor)
      expect({ ...json, status, api_request_id: undefined }, cursor).toMatchObject(expected)
    }
    await withoutRecord(events[1].id, async () => {
      expect((await get(route, name, next)).json.events).toEqual(last.events)
    })
  })
})
