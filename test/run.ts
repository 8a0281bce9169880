// Runs a suite in one process per core, on one PostgreSQL: `bun run test` without a name, `bun run test:NAME` with one.
// `bun run test ./test/cli` runs only that part.
// `bucket` are those tests that store or deliver objects, once more on an S3 server.
// `sound` runs in one process, so that its files share the recordings that were processed.
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { memoryEnv } from './support/memory.ts'
import { createScratch } from './support/scratch.ts'
import { SHARED_SERVER, SYSTEM_PATH, startServer, TEST_MEDIA, TEST_STORAGE } from './support/server.ts'
import { PACKAGED_FFMPEG, PACKAGED_FFPROBE, STATIC_FFMPEG } from './support/tools.ts'

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

/** Media programs of services, by suite (test/support/tools.ts). */
const media: Record<string, string> = { faults: 'sandboxed', sound: 'sound', world: 'sandboxed' }

/**
 * The PATH of tests. In front are the static builds of development packages: they start in 37 ms, a distribution's build with its
 * 200 libraries in 130. `TEST_FFMPEG=host` and `test:world` use those of the machine.
 */
function programPath(): string {
  const path = process.env.PATH ?? ''
  const isHost = suite === 'world' || process.env.TEST_FFMPEG === 'host'
  return isHost || !STATIC_FFMPEG ? path : [dirname(STATIC_FFMPEG), dirname(PACKAGED_FFPROBE), path].join(':')
}

/** Tests without a service store nothing, and the bytes of tests of sound are stored as all others. */
async function filesOnBucket(): Promise<string[]> {
  const paths = onBucket.flatMap((folder) =>
    [...new Bun.Glob('**/*.test.ts').scanSync(join(import.meta.dir, folder))].map((path) => `./test/${folder}/${path}`),
  )
  const texts = await Promise.all(paths.map((path) => Bun.file(join(import.meta.dir, '..', path)).text()))
  const storagePaths = paths.filter(
    (_, at) => texts[at]?.includes('support/service.ts') && !texts[at].includes('soundTools'),
  )
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
      ...memoryEnv,
      PATH: programPath(),
      [SYSTEM_PATH]: process.env.PATH,
      ...(media[suite] && { [TEST_MEDIA]: media[suite] }),
      // Processes that are killed and started again, under load, on a machine that has nothing to spare.
      ...(suite === 'faults' && { FFMPEG: PACKAGED_FFMPEG, FFPROBE: PACKAGED_FFPROBE }),
    },
  })
  process.exitCode = await child.exited
} finally {
  await server.stop()
  await rm(scratch, { recursive: true, force: true })
}
