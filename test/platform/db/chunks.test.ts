import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Pool } from 'pg'
import { readInChunks } from '../../../src/platform/db/query/chunks.ts'
import { useTestService } from '../../support/service.ts'

afterAll(() => pool.end())
const service = useTestService()
let pool: Pool
beforeAll(() => {
  pool = new Pool({ ...service.services.pool.options, max: 1, statement_timeout: 100 })
})

const slow = 'SELECT n FROM generate_series(1, 2500) n, (SELECT pg_sleep(0.3)) slow'

test('an export may take longer than the statements of its pool, whose time limit stays', async () => {
  const limit = async () => (await pool.query('SHOW statement_timeout')).rows[0].statement_timeout
  const { rows } = await pool.query('SELECT pg_backend_pid() AS pid')
  const sizes: number[] = []
  for await (const chunk of readInChunks(pool, { text: slow, values: [] }, 'an organization')) {
    sizes.push(chunk.length)
  }
  expect(sizes).toEqual([1000, 1000, 500])
  expect(await limit()).toBe('100ms')
  expect((await pool.query('SELECT pg_backend_pid() AS pid')).rows).toEqual(rows)
  await expect(pool.query(slow)).rejects.toMatchObject({ code: '57014' })
})

test('an organization has two of four exports at once', async () => {
  const { pool: shared } = service.services
  const start = async (organizationId: string) => {
    const rows = readInChunks(shared, { text: 'SELECT n FROM generate_series(1, 2500) n', values: [] }, organizationId)
    await rows.next()
    return rows
  }
  const tooMany = { code: 'unavailable', retryAfterSeconds: 10 }
  const running = [await start('a'), await start('a')]
  await expect(start('a')).rejects.toMatchObject(tooMany)
  running.push(await start('b'), await start('c'))
  await expect(start('d')).rejects.toMatchObject(tooMany)
  for (const rows of running) await rows.return(undefined)
  await (await start('a')).return(undefined)
})
