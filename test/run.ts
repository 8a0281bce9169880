// `bun run test`: runs the suite in one process per core, on one PostgreSQL.
import { availableParallelism } from 'node:os'
import { SHARED_SERVER, startServer } from './support/server.ts'

const server = await startServer()
try {
  const parallel = [`--parallel=${availableParallelism()}`, '--no-isolate', '--timeout', '60000']
  const suite = ['./test', '--path-ignore-patterns=test/{browser,faults,bench}/**']
  const child = Bun.spawn([process.execPath, 'test', ...parallel, ...suite, ...process.argv.slice(2)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, [SHARED_SERVER]: server.url },
  })
  process.exitCode = await child.exited
} finally {
  await server.stop()
}
