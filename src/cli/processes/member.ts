import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../config.ts'
import { createMetricsReader } from '../health.ts'
import { type Running, serve } from '../serve.ts'
import { openServices } from '../services.ts'
import { type Assignment, createMetricsRequests, METRICS_MS, type Message } from './messages.ts'

/** A process asks the supervisor, which asks all processes. */
const ALL_METRICS_MS = METRICS_MS + 1_000

/** Starts a process of a supervisor with its share of the roles. Reports mistakes of the operator to the supervisor. */
export async function startMember(config: Config, log: Logger, assignment: Assignment): Promise<Running> {
  try {
    const running = await startShare(config, log.child({ process: assignment.name }), assignment)
    report({ kind: 'started' })
    return running
  } catch (error) {
    if (error instanceof OperatorError) report({ kind: 'failed', message: error.message })
    throw error
  }
}

async function startShare(config: Config, log: Logger, assignment: Assignment): Promise<Running> {
  const { name, part, databaseUrl } = assignment
  const isWorker = part === 'worker'
  const roles = config.roles.filter((role) => (role === 'worker') === isWorker)
  await using opened = new AsyncDisposableStack()
  const { services, close: release } = await openServices({ ...config, roles, databaseUrl }, log)
  opened.defer(release)
  const readOwnMetrics = createMetricsReader(services, { process: name })
  const requests = createMetricsRequests(ALL_METRICS_MS)
  process.on('message', (message: Message) => {
    if (message.kind === 'ping') report({ kind: 'pong' })
    if (message.kind === 'metrics') requests.answer(message)
    if (message.kind === 'metrics-read') {
      readOwnMetrics()
        .then((text) => report({ kind: 'metrics', id: message.id, text }))
        .catch((error) => log.warn({ err: error }, 'metrics cannot be read'))
    }
  })
  const readMetrics = () => requests.read(report)
  const running = await serve(services, { listens: !isWorker, isShared: true, readMetrics, hasMetricsPort: false })
  log.info({ roles, pid: process.pid }, 'process started')
  opened.move()
  return {
    stop: async () => {
      await running.stop()
      await release()
    },
  }
}

/** @returns false without a supervisor: this process is about to end */
function report(message: Message): boolean {
  if (!process.connected) return false
  process.send?.(message)
  return true
}
