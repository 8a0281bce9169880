// The gateway, and in the same server two references of the stream bench: the cheapest redirect of its framework, and one
// that writes a durable row for each request and knows neither keys nor tracks nor listeners. Runs on a DATA_DIR that a
// service has filled.
import { Elysia } from 'elysia'
import { streamRoute } from '../../src/cli/serve.ts'
import { openServices } from '../../src/cli/services.ts'
import { loadConfig } from '../../src/config.ts'
import { batched } from '../../src/platform/db/batched.ts'
import { createLog } from '../../src/platform/log.ts'
import { createGateway } from '../../src/roles/gateway/app.ts'
import { createStream } from '../../src/roles/gateway/stream.ts'

const config = loadConfig(process.env)
const { services, close } = await openServices(config, createLog('warn', 'json'))
const stream = createStream(services)
const gateway = createGateway(services, stream)
const headers = { location: 'http://localhost/sound.m4a', 'cache-control': 'no-store' }
const bare = new Elysia().get('/bare', () => new Response(null, { status: 302, headers }))
const answerBare = bare.compile().fetch

await services.pool.query('CREATE TABLE IF NOT EXISTS bench_row (id uuid PRIMARY KEY, created_at timestamptz NOT NULL)')
const insertRows = {
  name: 'bench_rows',
  text: 'INSERT INTO bench_row SELECT id, now() FROM unnest($1::uuid[]) AS id',
}
const writeRow = batched<string, null>(
  async (ids) => {
    await services.pool.query({ ...insertRows, values: [`{${ids.join(',')}}`] })
    return ids.map(() => null)
  },
  { max: 500, turns: 3 },
)
const durable = new Elysia().get('/durable', async () => {
  await writeRow(Bun.randomUUIDv7())
  return new Response(null, { status: 302, headers })
})
const answerDurable = durable.compile().fetch

const server = Bun.serve({
  hostname: config.host,
  port: config.port,
  routes: {
    '/bare': (request: Request) => answerBare(request),
    '/durable': (request: Request) => answerDurable(request),
    ...streamRoute(stream),
  },
  fetch: (request) => gateway(request),
})
process.on('SIGTERM', async () => {
  await server.stop(true)
  await close()
  process.exit(0)
})
console.log('listening')
