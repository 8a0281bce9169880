import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { listPorts } from '../listen.ts'
import { GRACE_MS, listenMetrics, type Running } from '../serve.ts'
import { openEmbedded, openServices } from '../services.ts'
import { announceStart, prepare, type Terminal } from '../start.ts'
import { countConnections, listMembers } from './members.ts'
import { claimPorts } from './ports.ts'
import { supervise } from './supervisor.ts'

/** Time that the processes have to close their connections after the grace of requests and jobs, in milliseconds. */
const CLOSING_MS = 5_000
/** Connections of the embedded database for the supervisor and for commands such as `doctor`. */
const SPARE_CONNECTIONS = 16

/**
 * Starts a service of several processes: WEB_CONCURRENCY with the roles gateway and edge, which share the ports, and one with
 * the role worker. This process supervises them, and owns the embedded database and METRICS_PORT.
 */
export async function startSupervised(config: Config, log: Logger, terminal: Terminal): Promise<Running> {
  const began = performance.now()
  await using opened = new AsyncDisposableStack()
  const ports = await claimPorts(config.host, listPorts(config))
  opened.defer(() => ports.release())
  const settings = { max_connections: String(countConnections(config) + SPARE_CONNECTIONS) }
  const databaseUrl = config.databaseUrl ?? (await openEmbedded(config.dataDir, opened, { settings }))
  const { services, close } = await openServices({ ...config, databaseUrl }, log)
  const demo = await prepare(services, terminal).finally(close)
  const supervisor = await supervise(
    listMembers(config).map((member) => ({ ...member, databaseUrl })),
    log,
  )
  opened.defer(() => supervisor.stop(0))
  const metrics = listenMetrics(config, log, supervisor.readMetrics)
  announceStart(services, demo, began, terminal)
  const all = opened.move()
  return {
    stop: async () => {
      await Promise.all([metrics?.stop(true), supervisor.stop(GRACE_MS + CLOSING_MS)])
      await all.disposeAsync()
    },
  }
}
