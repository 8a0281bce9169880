import { beforeAll, describe, expect, test } from 'bun:test'
import { codeOf, post } from '../support/administrators.ts'
import { useTestService } from '../support/service.ts'
import { everyViewer, viewerNames } from '../support/viewers.ts'
import { createFixtures, type Fixtures } from './operations.ts'
import { calls } from './rest-table.ts'
import { operations } from './table.ts'

// The tables have a row for each mutation and route, so that a new one which ends a delivery is tried here.

const service = useTestService()
let viewers: Awaited<ReturnType<typeof everyViewer>>
let fixtures: Fixtures

beforeAll(async () => {
  viewers = await everyViewer(service)
  fixtures = await createFixtures(service, viewers.holdings)
})

/** Time for which an edge delivers a file without a look-up (decision 0048). */
const LEASE_MS = 50

/** Changes of what edges keep that end no delivery: one more secret is accepted, or another one signs. */
const endNone = ['addSigningSecret', 'activateSigningSecret']
const endDelivery = [
  'deleteCollection',
  'deleteTrack',
  'deleteVariant',
  'removeSigningSecret',
  'restoreRecording',
  'DELETE /v1/collection/:collectionId',
  'DELETE /v1/track/:trackId',
  'POST /v1/track/:trackId/recording/:recordingId/restore',
]
/** Operations that have changed what edges keep. */
const changing = new Set<string>()

/** Milliseconds from a change that a request makes to files known to edges until its answer. Null without a change. */
async function msAfterChange(request: () => Promise<unknown>): Promise<number | null> {
  const { pool } = service.services
  await pool.query('DELETE FROM ledger.delivery_change')
  await request()
  const { rows } = await pool.query(
    `SELECT extract(epoch FROM clock_timestamp() - max(changed_at))::float8 * 1000 AS ms FROM ledger.delivery_change`,
  )
  return rows[0].ms
}

/** Of several answers one is fast, so that a missing wait shows. */
const TRIES = 3

/** @param prepare creates the records of a request, and returns it */
async function expectWait(name: string, prepare: () => Promise<() => Promise<unknown>>): Promise<void> {
  const first = await msAfterChange(await prepare())
  if (first === null) return expect(endDelivery).not.toContain(name)
  changing.add(name)
  if (endNone.includes(name)) return
  const times = [first]
  while (times.length < TRIES) times.push((await msAfterChange(await prepare())) ?? 0)
  expect(Math.min(...times)).toBeGreaterThan(LEASE_MS)
}

const isAllowed = ({ may }: { may: string }) => may[viewerNames.indexOf('owner')] === 'o'
const mutations = operations.filter((operation) => operation.kind === 'mutation' && isAllowed(operation))
const writes = calls.filter((call) => call.method !== 'GET' && isAllowed(call))

describe('a change that ends a delivery is answered when no edge delivers the file any more', () => {
  test.each(mutations.map((operation) => [`${operation.field} ${operation.way ?? ''}`.trim(), operation] as const))(
    '%s',
    async (_, { field, text }) => {
      await expectWait(field, async () => {
        const query = `mutation { ${await text(fixtures)} }`
        return async () => codeOf(await post(service, query, {}, { key: viewers.credentials.owner }))
      })
    },
  )

  test.each(writes.map((call) => [`${call.method} ${call.path} ${call.way ?? ''}`.trim(), call] as const))(
    '%s',
    async (_, { method, path, id, body }) => {
      await expectWait(`${method} ${path}`, async () => {
        const ids = [(await id?.(fixtures)) ?? ''].flat()
        const address = path.replace(/:\w+/g, () => ids.shift() ?? '')
        return () => service.request(method, address, { key: viewers.credentials.owner, body: body?.(fixtures) })
      })
    },
  )

  test('no operation is missing', () => {
    expect([...changing].sort()).toEqual([...endNone, ...endDelivery].sort())
  })
})
