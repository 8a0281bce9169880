import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { OperatorError } from '../../config.ts'
import { processMetrics } from '../../platform/metrics.ts'
import { mergeMetrics } from './merge-metrics.ts'
import { ASSIGNMENT, type Assignment, createMetricsRequests, METRICS_MS, type Message } from './messages.ts'

/** First pause before a process is replaced, in milliseconds. It doubles with each one that ended early. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** A process that lived for this time, in milliseconds, is replaced without a pause. */
const STABLE_MS = 10_000
const PING_MS = 5_000
/** Unanswered pings in a row after which a process is killed. */
const MAX_UNANSWERED = 6

export interface Supervisor {
  /** Metrics of all processes, those of the supervisor included. A process that does not answer is left out. */
  readMetrics: () => Promise<string>
  /** Lets all processes stop by SIGTERM, and kills those that still run after `graceMs`. */
  stop: (graceMs: number) => Promise<void>
}

interface Slot {
  assignment: Assignment
  worker: Worker
  exited: Promise<void>
  startedMs: number
  hasStarted: boolean
  /** Number of processes in a row that ended early. */
  early: number
  unanswered: number
  mistake: string | null
  pause: ReturnType<typeof setTimeout> | undefined
}

/** @returns pause before a process is replaced, in milliseconds. @param early see `Slot` */
export const computePause = (early: number): number =>
  early === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (early - 1))

/**
 * Starts a process for each assignment by running `program`, which defaults to this program, and replaces those that end. Processes are of
 * node:cluster, because only those can share a port of node:http (decision 0029). They end when the supervisor does,
 * however it ends.
 * @throws OperatorError when one of them does not start; the others are stopped
 */
export async function supervise(
  assignments: Assignment[],
  log: Logger,
  { program = Bun.main, pingMs = PING_MS, metricsMs = METRICS_MS } = {},
): Promise<Supervisor> {
  const registry = new Registry()
  registry.setDefaultLabels({ process: 'supervisor' })
  collectDefaultMetrics({ ...processMetrics, register: registry })
  const replaced = new Counter({
    name: 'tonearm_processes_replaced_total',
    help: 'Processes of WEB_CONCURRENCY that ended and were replaced, by name.',
    labelNames: ['name'],
    registers: [registry],
  })
  const requests = createMetricsRequests(metricsMs)
  const slots: Slot[] = []
  const starting = Promise.withResolvers<void>()
  let isStarting = true
  let isStopping = false
  cluster.setupPrimary({ exec: program, args: ['start'], execArgv: process.execArgv })

  function run(assignment: Assignment, early: number): Slot {
    const worker = cluster.fork({ [ASSIGNMENT]: JSON.stringify(assignment) })
    const { promise: exited, resolve: exit } = Promise.withResolvers<void>()
    const slot: Slot = {
      assignment,
      worker,
      exited,
      startedMs: performance.now(),
      hasStarted: false,
      early,
      unanswered: 0,
      mistake: null,
      pause: undefined,
    }
    worker.on('message', (message: Message) => receive(slot, message))
    worker.on('error', (error) => log.debug({ err: error, process: assignment.name }, 'a channel failed'))
    worker.on('exit', (code, signal) => {
      exit()
      ended(slot, code, signal)
    })
    return slot
  }

  function receive(slot: Slot, message: Message): void {
    slot.unanswered = 0
    if (message.kind === 'metrics') requests.answer(message)
    if (message.kind === 'failed') slot.mistake = message.message
    if (message.kind === 'metrics-read') {
      readMetrics()
        .then((text) => send(slot, { kind: 'metrics', id: message.id, text }))
        .catch((error) => log.warn({ err: error }, 'metrics cannot be read'))
    }
    if (message.kind !== 'started') return
    slot.hasStarted = true
    if (slots.length === assignments.length && slots.every(({ hasStarted }) => hasStarted)) starting.resolve()
  }

  function ended(slot: Slot, code: number | null, signal: string | null): void {
    const { name } = slot.assignment
    if (isStarting) {
      starting.reject(new OperatorError(slot.mistake ?? `the process ${name} does not start; see its output`))
      return
    }
    if (isStopping) return
    const early = performance.now() - slot.startedMs < STABLE_MS ? slot.early + 1 : 0
    const pauseMs = computePause(early)
    log.error({ name, code, signal, reason: slot.mistake ?? undefined, pauseMs }, 'a process ended and is replaced')
    replaced.inc({ name })
    slot.pause = setTimeout(() => {
      slots[slots.indexOf(slot)] = run(slot.assignment, early)
    }, pauseMs)
  }

  async function readMetrics(): Promise<string> {
    const read = (slot: Slot) =>
      Promise.race([requests.read((message) => send(slot, message)), slot.exited.then(() => '')])
    return mergeMetrics([...(await Promise.all(slots.map(read))), await registry.metrics()])
  }

  const pings = setInterval(() => {
    for (const slot of slots.filter(({ hasStarted, worker }) => hasStarted && !worker.isDead())) {
      if (slot.unanswered >= MAX_UNANSWERED) {
        log.error({ name: slot.assignment.name }, 'a process does not respond and is killed')
        slot.worker.process.kill('SIGKILL')
      } else {
        slot.unanswered += 1
        send(slot, { kind: 'ping' })
      }
    }
  }, pingMs)

  async function stop(graceMs: number): Promise<void> {
    isStopping = true
    isStarting = false
    clearInterval(pings)
    for (const { pause } of slots) clearTimeout(pause)
    const alive = slots.filter(({ worker }) => !worker.isDead())
    const signal = (name: NodeJS.Signals) => {
      for (const { worker } of alive) if (!worker.isDead()) worker.process.kill(name)
    }
    signal('SIGTERM')
    const late = setTimeout(() => {
      log.warn({ graceMs }, 'processes that do not stop are killed')
      signal('SIGKILL')
    }, graceMs)
    await Promise.all(alive.map(({ exited }) => exited))
    clearTimeout(late)
  }

  slots.push(...assignments.map((assignment) => run(assignment, 0)))
  try {
    await starting.promise
    isStarting = false
  } catch (error) {
    await stop(0)
    throw error
  }
  return { readMetrics, stop }
}

function send({ worker }: Slot, message: Message): boolean {
  if (!worker.isConnected() || worker.isDead()) return false
  try {
    worker.send(message)
    return true
  } catch {
    // It ended since.
    return false
  }
}
