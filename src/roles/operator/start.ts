import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { createEdge } from '../edge/app.ts'
import { createGateway } from '../gateway/app.ts'
import { openServices } from '../services.ts'
import { startWorker } from '../worker/run.ts'
import { tasks } from '../worker/tasks.ts'
import { makeDemo } from './first-start.ts'
import { createHealth } from './health.ts'
import { welcome } from './welcome.ts'

/** Longest idle time that Bun allows, in seconds: a slow listener must not be cut off. */
const IDLE_SECONDS = 255
/** Above every limit of ours, so that the answer to a body too large is ours. */
const SLACK_BYTES = 64 << 20
const JOB_GRACE_MS = 30_000

/** A running process with its roles. */
export interface Running {
  stop: () => Promise<void>
}

/** Opens everything and starts the roles; listens only when all of it works. */
export async function start(config: Config, log: Logger, tell: (text: string) => void): Promise<Running> {
  const began = performance.now()
  const { services, close } = await openServices(config, log)
  const demo = config.isDemo ? await makeDemo(services) : null
  await services.storage.check()

  let isStopping = false
  const health = createHealth(services, () => isStopping)
  const hasRole = (role: (typeof config.roles)[number]) => config.roles.includes(role)
  const gateway = hasRole('gateway') ? createGateway(services) : null
  const main = listen(config.host, config.port, 'PORT', async (request) => {
    const found = await health(new URL(request.url).pathname)
    return found ?? (gateway ? gateway.handle(request) : new Response('Not found', { status: 404 }))
  })
  const edge = hasRole('edge') ? createEdge(services) : null
  const edgeServer =
    edge && listen(config.host, config.edgePort, 'EDGE_PORT', edge, config.maxUploadBytes + SLACK_BYTES)
  const worker = hasRole('worker') ? await startWorker(services, tasks) : null

  const ms = Math.round(performance.now() - began)
  log.info({ roles: config.roles, gateway: config.publicUrl, edge: edge ? config.edgeUrl : undefined, ms }, 'started')
  if (hasRole('gateway')) tell(welcome(config, demo))

  return {
    stop: async () => {
      isStopping = true
      // Listening ends at once; requests in flight are waited for.
      await Promise.all([main.stop(), edgeServer?.stop(), worker?.stop(JOB_GRACE_MS)])
      await close()
    },
  }
}

type Handler = (request: Request, server: Bun.Server<undefined>) => Promise<Response>

function listen(hostname: string, port: number, name: string, fetch: Handler, maxRequestBodySize = SLACK_BYTES) {
  try {
    return Bun.serve({ hostname, port, fetch, maxRequestBodySize, idleTimeout: IDLE_SECONDS, development: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new OperatorError(`${name}: ${hostname}:${port} is in use by another process`)
  }
}
