// Generates the Prisma client with the Pothos types, the OpenAPI document, and types and bundles of the web pages. Each runs once per state of its
// sources.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { once, root } from './once.ts'

const began = performance.now()
let isBuilding = false
/** Shows people why a start takes its time. */
function announce(): void {
  if (!isBuilding)
    process.stderr.write('Building the database client and the pages. The first time this takes about half a minute.\n')
  isBuilding = true
}

const SCHEMA = 'src/roles/gateway/schema.graphql'
const REFERENCE = 'src/web/docs/generated'

/** Returns all files in a folder, without generated ones. */
function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => !/[\\/]generated(\.|[\\/]|$)/.test(path) && statSync(join(root, path)).isFile())
}

await once('src/platform/db/generated', ['schema.prisma', 'bun.lock', '.config/prisma.ts'], async () => {
  announce()
  const { generatePrisma } = await import('./prisma.ts')
  await generatePrisma()
})

const operations = filesIn('src/web/studio').filter((path) => path.endsWith('.graphql'))
await once('src/web/studio/generated', ['bun.lock', '.config/operations.ts', SCHEMA, ...operations], async () => {
  announce()
  const { generateOperations } = await import('./operations.ts')
  await generateOperations(SCHEMA, 'src/web/studio/generated', operations)
})

const service = ['domain', 'platform', 'roles/gateway']
  .flatMap((folder) => filesIn(join('src', folder)))
  .filter((path) => path.endsWith('.ts'))
await once(REFERENCE, ['bun.lock', 'schema.prisma', 'package.json', '.config/openapi.ts', ...service], () => {
  announce()
  // A process of its own: the service reads settings, and has handles that stay open.
  const command = [process.execPath, '.config/openapi.ts']
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (exitCode !== 0) process.exit(exitCode || 1)
})

await once(
  'src/web/generated',
  [
    'bun.lock',
    '.config/web.ts',
    '.config/guides.ts',
    '.config/reference.ts',
    '.config/code.ts',
    join(REFERENCE, 'openapi.json'),
    SCHEMA,
    ...['src/web', 'src/client', '.config/deploy'].flatMap(filesIn),
  ],
  async () => {
    announce()
    const { buildWeb } = await import('./web.ts')
    await buildWeb()
  },
)

if (isBuilding) process.stderr.write(`Built in ${Math.round((performance.now() - began) / 1000)} s.\n`)
