// Runs a suite in one process per core, on one PostgreSQL: `bun run test` without a name, `bun run test:NAME` with one.
// `bun run test ./test/cli` runs only that part.
// `bucket` are those tests that store or deliver objects, once more on an S3 server and with the media programs of the host.
// `sound` runs in one process, so that its files share the recordings that were processed.
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createScratch } from './support/scratch.ts'
import { SHARED_SERVER, startServer, TEST_MEDIA, TEST_STORAGE } from './support/server.ts'

const suites: Record<string, () => string[] | Promise<string[]>> = {
  main: () => ['./test', '--path-ignore-patterns=test/{browser,faults,bench,sound,world}/**'],
  bucket: filesOnBucket,
  browser: () => ['./test/browser'],
  faults: () => ['./test/faults'],
  sound: () => ['./test/sound'],
  world: () => ['./test/world'],
}

const onBucket = [
  'domain/collection',
  'domain/delivery',
  'domain/organization',
  'domain/processing',
  'domain/track',
  'domain/upload',
  'domain/variant',
  'platform/media',
  'roles/edge',
  'client',
  'spec',
]

/** Tests without a service store nothing. */
async function filesOnBucket(): Promise<string[]> {
  const paths = onBucket.flatMap((folder) =>
    [...new Bun.Glob('**/*.test.ts').scanSync(join(import.meta.dir, folder))].map((path) => `./test/${folder}/${path}`),
  )
  const texts = await Promise.all(paths.map((path) => Bun.file(join(import.meta.dir, '..', path)).text()))
  const storagePaths = paths.filter((_, at) => texts[at]?.includes('support/service.ts'))
  if (storagePaths.length === 0) throw new Error('no test stores objects')
  return storagePaths
}

const [argument = '', ...rest] = process.argv.slice(2)
const suite = Object.hasOwn(suites, argument) ? argument : 'main'
const flags = suite === argument ? rest : process.argv.slice(2)
const isPart = flags.some((flag) => flag.startsWith('./test/'))
const scratch = await createScratch()
process.env.TMPDIR = scratch
const server = await startServer()
try {
  const cores = availableParallelism()
  const shared = suite === 'sound' ? [`--max-concurrency=${2 * cores}`] : [`--parallel=${cores}`, '--no-isolate']
  const paths = isPart ? [] : ((await suites[suite]?.()) ?? [])
  const child = Bun.spawn([process.execPath, 'test', ...shared, '--timeout', '60000', ...paths, ...flags], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      [SHARED_SERVER]: server.url,
      ...(suite === 'bucket' && { [TEST_STORAGE]: 's3' }),
      ...(suite !== 'main' && { [TEST_MEDIA]: 'host' }),
    },
  })
  process.exitCode = await child.exited
} finally {
  await server.stop()
  await rm(scratch, { recursive: true, force: true })
}
