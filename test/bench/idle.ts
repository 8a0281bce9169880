// Memory, CPU time and wake-ups of a process with all roles that has no requests, other than those of Prometheus each 15 s.
import { readdirSync, readFileSync } from 'node:fs'
import { cleanUp, createPlace, postgresPid, startProcess } from '../faults/process.ts'
import { commandLines, parentOf } from '../support/processes.ts'
import type { Figure } from './main.ts'

const SETTLE_MS = 45_000
const WINDOW_MS = 60_000
const SCRAPE_MS = 15_000
const GOAL_MB = 150
const GOAL_PERCENT = 1
/** Clock ticks of Linux in a second, in /proc/<pid>/stat. */
const TICKS = 100

interface Usage {
  cpuSeconds: number
  switches: number
  residentMb: number
  /** Without the share of other processes in pages that they have in common. */
  proportionalMb: number
}

const fieldOf = (text: string, name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)

/** Usage of a process with all its threads. */
function readUsage(pid: number): Usage {
  const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const statuses = readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
  const switches = statuses.map((status) => fieldOf(status, 'voluntary_ctxt_switches'))
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return {
    cpuSeconds: (Number(user) + Number(system)) / TICKS,
    switches: switches.reduce((sum, count) => sum + count, 0),
    residentMb: fieldOf(rollup, 'Rss') / 1024,
    proportionalMb: fieldOf(rollup, 'Pss') / 1024,
  }
}

/** Sum over processes that exist at both times. */
function sumUsage(pids: readonly number[]): Usage {
  return pids.map(readUsage).reduce((sum, usage) => ({
    cpuSeconds: sum.cpuSeconds + usage.cpuSeconds,
    switches: sum.switches + usage.switches,
    residentMb: sum.residentMb + usage.residentMb,
    proportionalMb: sum.proportionalMb + usage.proportionalMb,
  }))
}

export async function benchIdle(): Promise<Figure[]> {
  const place = await createPlace()
  try {
    const service = await startProcess(place)
    // The last one may find that the service has ended.
    const readMetrics = async () => (await fetch(`${service.url}/metrics`)).text()
    const scrape = setInterval(() => readMetrics().catch(() => {}), SCRAPE_MS)
    await Bun.sleep(SETTLE_MS)
    const postmaster = await postgresPid(place.env.DATA_DIR ?? '')
    const backends = [...commandLines().keys()].filter((pid) => isChild(pid, postmaster))
    const [before, databaseBefore] = [readUsage(service.pid), sumUsage([postmaster, ...backends])]
    await Bun.sleep(WINDOW_MS)
    clearInterval(scrape)
    const after = readUsage(service.pid)
    const remaining = [postmaster, ...backends].filter((pid) => isChild(pid, postmaster) || pid === postmaster)
    const database = sumUsage(remaining)
    const seconds = WINDOW_MS / 1000
    const percent = (100 * (after.cpuSeconds - before.cpuSeconds)) / seconds
    const databasePercent = (100 * (database.cpuSeconds - databaseBefore.cpuSeconds)) / seconds
    const wakeUps = (after.switches - before.switches) / seconds
    return [
      {
        what: 'idle: memory of a process with all roles',
        measured: `${after.residentMb.toFixed(0)} MB (${after.proportionalMb.toFixed(0)} MB without shared pages)`,
        goal: `<= ${GOAL_MB} MB`,
        isMet: after.residentMb <= GOAL_MB,
        summary: 'idle process with all roles: memory',
      },
      {
        what: 'idle: CPU of a process with all roles',
        measured: `${percent.toFixed(2)} % of a core, ${wakeUps.toFixed(0)} wake-ups/s`,
        goal: `< ${GOAL_PERCENT} %`,
        isMet: percent < GOAL_PERCENT,
        summary: 'idle process with all roles: CPU',
      },
      {
        what: 'idle: the embedded PostgreSQL',
        measured: `${database.proportionalMb.toFixed(0)} MB, ${databasePercent.toFixed(2)} % of a core`,
        goal: `< ${GOAL_PERCENT} %`,
        isMet: databasePercent < GOAL_PERCENT,
      },
    ]
  } finally {
    await cleanUp(place)
  }
}

function isChild(pid: number, parent: number): boolean {
  try {
    return parentOf(pid) === parent
  } catch {
    // It has ended.
    return false
  }
}
