import { expect, test } from 'bun:test'
import { Client } from 'pg'
import { diffToSchema } from '../.config/schema-engine.ts'
import { cloneDatabase } from './support/postgres.ts'

test('schema.prisma and the migrations describe the same database', async () => {
  expect((await diffToSchema(await cloneDatabase())).trim()).toBe('-- This is an empty migration.')
})

test('drift is seen: a column that only the database has appears in the difference', async () => {
  const url = await cloneDatabase()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('ALTER TABLE creator ADD COLUMN drifted text')
  await client.end()
  expect(await diffToSchema(url)).toContain('drifted')
})
