// `bun run migration NAME`: writes a new migration with the SQL from the existing migrations to schema.prisma.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/platform/db/embedded.ts'
import { migrate, schemaDirectory } from '../src/platform/db/migrate.ts'
import { diffToSchema } from './schema-engine.ts'

const name = process.argv[2]
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('usage: bun run migration NAME   (a-z, 0-9, _)')
  process.exit(1)
}
const directory = await mkdtemp(join(tmpdir(), 'tonearm-migration-'))
const postgres = await startEmbeddedPostgres(directory)
try {
  await migrate(postgres.url)
  const sql = await diffToSchema(postgres.url)
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const file = join(schemaDirectory, 'migrations', `${stamp}_${name}.sql`)
  await writeFile(file, sql)
  console.log(`wrote ${file}: review it, and add what Prisma cannot express`)
} finally {
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}
// The engine's WebAssembly leaves a handle open.
process.exit(0)
