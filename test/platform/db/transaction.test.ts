import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { PoolClient } from 'pg'
import { openPool } from '../../../src/platform/db/client.ts'
import { commitStatement, runChange } from '../../../src/platform/db/transaction.ts'
import { createLog } from '../../../src/platform/log.ts'
import { emptyDatabase } from '../../support/postgres.ts'

let open: ReturnType<typeof openPool>
const pool = () => open.pool
beforeAll(async () => {
  open = openPool(await emptyDatabase(), createLog('silent', 'json'), { max: 2, statementTimeoutMs: 5000 })
  await pool().query('CREATE TABLE counter (id int PRIMARY KEY, value int NOT NULL CHECK (value < 3))')
})
beforeEach(async () => {
  await pool().query('DELETE FROM counter')
  await pool().query('INSERT INTO counter VALUES (1, 0)')
})
afterAll(() => open.close())

const value = async () => (await pool().query('SELECT value FROM counter WHERE id = 1')).rows[0].value
const increment = { name: 'increment', text: 'UPDATE counter SET value = value + $1 RETURNING value', values: [1] }

/** Runs work on a connection. @returns its result, and the number of answers that it waited for */
async function countTrips<T>(work: (client: PoolClient) => Promise<T>): Promise<[T, number]> {
  const client = await pool().connect()
  let trips = 0
  const count = () => {
    trips += 1
  }
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('readyForQuery', count)
  try {
    return [await work(client), trips]
  } finally {
    connection.off('readyForQuery', count)
    client.release()
  }
}

test.each([
  ['prepared', increment],
  ['prepared again', increment],
  ['with values', { ...increment, name: undefined }],
])('a change takes two round trips: %s', async (_, statement) => {
  const [{ rows, command, rowCount }, trips] = await countTrips((client) => runChange(client, statement))
  expect([rows, command, rowCount, trips]).toEqual([[{ value: 1 }], 'UPDATE', 1, 2])
  expect(await value()).toBe(1)
})

test('nothing is changed before COMMIT', async () => {
  const client = await pool().connect()
  const first = { ...increment, isFirst: true }
  expect((await client.query(first)).rows).toEqual([{ value: 1 }])
  expect(await value()).toBe(0)
  client.release(true)
  expect(await value()).toBe(0)
})

test('a refused change leaves nothing, and its connection is not used again', async () => {
  await expect(commitStatement(pool(), { ...increment, values: [3] })).rejects.toThrow('counter_value_check')
  expect(await value()).toBe(0)
  for (const expected of [1, 2]) expect((await commitStatement(pool(), increment)).rows).toEqual([{ value: expected }])
})

test('a value that cannot be sent refuses the change', async () => {
  const unsendable = {
    toPostgres: () => {
      throw new Error('unsendable')
    },
  }
  await expect(commitStatement(pool(), { ...increment, values: [unsendable] })).rejects.toThrow('unsendable')
  expect((await commitStatement(pool(), increment)).rows).toEqual([{ value: 1 }])
})
