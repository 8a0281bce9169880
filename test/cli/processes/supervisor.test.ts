import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { mergeMetrics } from '../../../src/cli/processes/merge-metrics.ts'
import { createMetricsRequests } from '../../../src/cli/processes/messages.ts'
import { claimPorts } from '../../../src/cli/processes/ports.ts'
import { computePause, type Supervisor, supervise } from '../../../src/cli/processes/supervisor.ts'
import { createLog } from '../../../src/platform/log.ts'
import { isAlive } from '../../faults/process.ts'
import { lastingPort } from '../../support/ports.ts'
import { until } from '../../support/until.ts'

let running: Supervisor | undefined
afterEach(async () => {
  await running?.stop(0)
  running = undefined
})

async function start(names: string[], options: { pingMs?: number } = {}): Promise<Supervisor> {
  const assignments = names.map((name) => ({ name, part: 'web' as const, databaseUrl: '' }))
  const program = join(import.meta.dir, 'member-fixture.ts')
  running = await supervise(assignments, createLog('silent', 'json'), { program, metricsMs: 500, ...options })
  return running
}

/** Process ids by name, of the processes that answer. */
async function pids(supervisor: Supervisor): Promise<Record<string, number>> {
  const samples = (await supervisor.readMetrics()).matchAll(/^a\{process="(.+)"\} (\d+)$/gm)
  return Object.fromEntries([...samples].map(([, name = '', pid]) => [name, Number(pid)]))
}

const replaced = async (supervisor: Supervisor, name: string): Promise<number> => {
  const sample = new RegExp(`^tonearm_processes_replaced_total\\{name="${name}",process="supervisor"\\} (\\d+)$`, 'm')
  return Number(sample.exec(await supervisor.readMetrics())?.[1] ?? 0)
}

test('a killed process is replaced by one of the same name, and the others live on', async () => {
  const supervisor = await start(['a', 'b'])
  const before = await pids(supervisor)
  expect(Object.keys(before)).toEqual(['a', 'b'])
  process.kill(before.a ?? 0, 'SIGKILL')
  await until('another process', 10_000, async () => ![before.a, undefined].includes((await pids(supervisor)).a))
  expect((await pids(supervisor)).b).toBe(Number(before.b))
  expect([await replaced(supervisor, 'a'), await replaced(supervisor, 'b')]).toEqual([1, 0])
})

test('a process that ends early again and again is replaced after growing pauses', async () => {
  const supervisor = await start(['short-lived'])
  await until('the second replacement', 10_000, async () => (await replaced(supervisor, 'short-lived')) >= 2)
  expect([0, 1, 2, 3, 7, 8, 60].map(computePause)).toEqual([0, 250, 500, 1000, 16_000, 30_000, 30_000])
})

test('a process that answers nothing is killed and replaced', async () => {
  const supervisor = await start(['silent', 'a'], { pingMs: 20 })
  await until('the replacement', 10_000, async () => (await replaced(supervisor, 'silent')) > 0)
  expect(await replaced(supervisor, 'a')).toBe(0)
})

test('a mistake that a process reports stops the start of all', async () => {
  await expect(start(['a', 'mistaken'])).rejects.toThrow('PORT: is wrong')
})

test('a stop kills what is still running after the grace', async () => {
  const supervisor = await start(['a', 'stubborn'])
  const before = Object.values(await pids(supervisor))
  await supervisor.stop(200)
  expect(before.map(isAlive)).toEqual([false, false])
})

test('a port is claimed by one supervisor, also before its processes listen, until it is released', async () => {
  const ports = [{ setting: 'PORT' as const, port: await lastingPort() }]
  const first = await claimPorts('127.0.0.1', ports)
  const sentence = `PORT: 127.0.0.1:${ports[0]?.port} is in use by another process`
  await expect(claimPorts('127.0.0.1', ports)).rejects.toThrow(sentence)
  first.release()
  const second = await claimPorts('127.0.0.1', ports)
  second.release()
})

describe('the metrics of several processes', () => {
  const head = '# HELP a The metric.\n# TYPE a gauge\n'

  test('have one head for each metric, and the samples of all processes', () => {
    const other = '# HELP b Another.\n# TYPE b counter\n'
    const merged = mergeMetrics([`${head}a{p="1"} 1\n\n${other}b{p="1"} 2\n`, `${head}a{p="2"} 3\na{p="3"} 4\n`, ''])
    expect(merged).toBe(`${head}a{p="1"} 1\na{p="2"} 3\na{p="3"} 4\n\n${other}b{p="1"} 2\n`)
  })

  test('leave out a process that does not answer in time, or has ended', async () => {
    const requests = createMetricsRequests(10)
    expect(await Promise.all([requests.read(() => true), requests.read(() => false)])).toEqual(['', ''])
  })
})
