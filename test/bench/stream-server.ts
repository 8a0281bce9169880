// The gateway, and in the same server the cheapest redirect of its framework as the reference of the stream bench. Runs
// on a DATA_DIR that a service has filled.
import { Elysia } from 'elysia'
import { streamRoute } from '../../src/cli/serve.ts'
import { openServices } from '../../src/cli/services.ts'
import { loadConfig } from '../../src/config.ts'
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

const server = Bun.serve({
  hostname: config.host,
  port: config.port,
  routes: { '/bare': (request: Request) => answerBare(request), ...streamRoute(stream) },
  fetch: (request) => gateway(request),
})
process.on('SIGTERM', async () => {
  await server.stop(true)
  await close()
  process.exit(0)
})
console.log('listening')
