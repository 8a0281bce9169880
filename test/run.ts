// `bun run test`: runs the suite in one process per core, on one PostgreSQL. `bun run test:bucket` runs those tests that
// store or deliver objects once more, on an S3 server.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { SHARED_SERVER, startServer, TEST_STORAGE } from './support/server.ts'

const onBucket = [
  ...['domain/collection', 'domain/delivery', 'domain/organization', 'domain/processing', 'domain/track'],
  ...['domain/upload', 'domain/variant', 'platform/media', 'roles/edge', 'client', 'spec'],
]

/** Tests without a service store nothing. */
async function filesOnBucket(): Promise<string[]> {
  const paths = onBucket.flatMap((folder) =>
    [...new Bun.Glob('**/*.test.ts').scanSync(join(import.meta.dir, folder))].map((path) => `./test/${folder}/${path}`),
  )
  const texts = await Promise.all(paths.map((path) => Bun.file(join(import.meta.dir, '..', path)).text()))
  const found = paths.filter((_, at) => texts[at]?.includes('support/service.ts'))
  if (found.length === 0) throw new Error('no test stores objects')
  return found
}

const given = process.argv.slice(2)
const isBucket = given[0] === 'bucket'
const server = await startServer()
try {
  const parallel = [`--parallel=${availableParallelism()}`, '--no-isolate', '--timeout', '60000']
  const suite = isBucket ? await filesOnBucket() : ['./test', '--path-ignore-patterns=test/{browser,faults,bench}/**']
  const flags = isBucket ? given.slice(1) : given
  const child = Bun.spawn([process.execPath, 'test', ...parallel, ...suite, ...flags], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, [SHARED_SERVER]: server.url, ...(isBucket && { [TEST_STORAGE]: 's3' }) },
  })
  process.exitCode = await child.exited
} finally {
  await server.stop()
}
