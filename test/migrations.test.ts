import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { Client } from 'pg'
import { diffToSchema, isUpToDate, migrate, migrationsDirectory } from '../src/platform/db/migrate.ts'
import { cloneDatabase, emptyDatabase } from './support/postgres.ts'

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

test('an empty database is migrated once; a second run finds nothing to do', async () => {
  const url = await emptyDatabase()
  const [first, second] = await Promise.all([migrate(url), migrate(url)])
  const all = (await readdir(migrationsDirectory, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  expect([...first, ...second]).toEqual(all.map(({ name }) => name).sort())
  const client = new Client({ connectionString: url })
  await client.connect()
  expect(await isUpToDate(client)).toBe(true)
  await client.query('DELETE FROM _prisma_migrations')
  expect(await isUpToDate(client)).toBe(false)
  await client.end()
})
