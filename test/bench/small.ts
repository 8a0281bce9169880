// A machine with one core and 1 GB: all roles and the embedded PostgreSQL on one core, idle and with a recording of an hour. And the
// size of its log.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cleanUp, createPlace, startProcess } from '../faults/process.ts'
import { commandLines, parentOf } from '../support/processes.ts'
import type { Figure } from './main.ts'
import { HOUR, makeMusic, memoryOf, processRecording } from './processing.ts'

const MIB = 1 << 20
const MEMORY_MIB = 1024
const SAMPLE_MS = 200
const SETTLE_MS = 20_000
const REQUESTS = 500

/** Confines this process, and those that it starts from now on, to some cores. */
async function confine(cores: string): Promise<void> {
  const child = Bun.spawn(['taskset', '--all-tasks', '--pid', '--cpu-list', cores, String(process.pid)], {
    stdout: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error(`taskset ended with ${child.exitCode}`)
}

/** A process and all that it has started: media programs and PostgreSQL. */
function descendantsOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const pid of commandLines().keys()) {
    try {
      parents.set(pid, parentOf(pid))
    } catch {
      // It has ended.
    }
  }
  const isOurs = (pid: number): boolean => pid === root || (parents.has(pid) && isOurs(parents.get(pid) ?? 0))
  return [...parents.keys()].filter(isOurs)
}

export async function benchSmall(): Promise<Figure[]> {
  const place = await createPlace()
  const hour = join(place.folder, 'hour.flac')
  await makeMusic(hour, HOUR)
  await confine('0')
  try {
    const service = await startProcess(place)
    const measure = async () => (await memoryOf(descendantsOf(service.pid))) / MIB
    await Bun.sleep(SETTLE_MS)
    const idle = await measure()

    let peak = 0
    let isRunning = true
    const watch = (async () => {
      for (; isRunning; await Bun.sleep(SAMPLE_MS)) peak = Math.max(peak, await measure())
    })()
    const { wallSeconds, cpuSeconds } = await processRecording(service, hour).finally(() => {
      isRunning = false
    })
    await watch

    const before = (await service.output()).length
    for (let request = 0; request < REQUESTS; request++) {
      const { status } = await service.v1('GET', '/collection?limit=1')
      if (status !== 200) throw new Error(`a list answered ${status}`)
    }
    const lineBytes = ((await service.output()).length - before) / REQUESTS
    const gigabytes = (lineBytes * 1e6) / 1e9
    return [
      {
        what: 'one core: memory of all roles, PostgreSQL and media programs, idle / with a recording of 1 h',
        measured: `${idle.toFixed(0)} MiB / ${peak.toFixed(0)} MiB`,
        goal: `<= ${MEMORY_MIB} MiB`,
        isMet: peak <= MEMORY_MIB,
        summary: 'one core, all roles with PostgreSQL: memory idle and with a recording of an hour',
      },
      {
        what: 'one core: time of a recording of 1 h until it is ready',
        measured: `${wallSeconds.toFixed(0)} s (CPU ${cpuSeconds.toFixed(0)} s)`,
        goal: `<= ${HOUR / 10} s`,
        isMet: wallSeconds <= HOUR / 10,
      },
      {
        what: 'log of 1,000,000 requests of /v1',
        measured: `${gigabytes.toFixed(2)} GB`,
        goal: '<= 1 GB',
        isMet: gigabytes <= 1,
      },
    ]
  } finally {
    await confine(`0-${availableParallelism() - 1}`)
    await cleanUp(place)
  }
}
