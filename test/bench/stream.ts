import { join } from 'node:path'
import { Client } from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type Place, startProcess, untilStatus, uploadTo } from '../faults/process.ts'
import { tone } from '../support/audio.ts'
import { until } from '../support/until.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
const ROUNDS = 3
const CONNECTIONS = [64, 256]
const GOAL = 0.35

interface Round {
  requestsPerSecond: number
  /** Answers that wrk read. */
  answers: number
  errors: number
  p99: string
}

/** Stream links compared with a bare redirect of the same server, and whether each redirect was counted. */
export async function benchStream(): Promise<Figure[]> {
  if (!Bun.which('wrk')) throw new Error('the stream bench needs wrk (Debian: apt-get install wrk)')
  const place = await createPlace()
  let server: Bun.Subprocess | undefined
  try {
    const path = await prepareTrack(place)
    const url = `http://localhost:${place.env.PORT}`
    server = Bun.spawn([process.execPath, join(import.meta.dir, 'stream-server.ts')], {
      env: place.env,
      stdout: 'ignore',
      stderr: 'inherit',
    })
    await until('the server to answer', 30_000, async () =>
      fetch(`${url}/bare`, { redirect: 'manual' }).catch(() => null),
    )
    const figures: Figure[] = []
    for (const connections of CONNECTIONS) figures.push(...(await compare(place, url, path, connections)))
    return figures
  } finally {
    server?.kill('SIGTERM')
    await server?.exited
    await cleanUp(place)
  }
}

/** Creates a playable track. @returns the path of its stream link */
async function prepareTrack(place: Place): Promise<string> {
  const service = await startProcess(place)
  const id = await uploadTo(service, await tone(5))
  await untilStatus(service, id, ['ready'])
  service.kill('SIGTERM')
  await service.exited
  return `/v1/stream/${id}/${service.credentials.share_key}`
}

async function compare(place: Place, url: string, path: string, connections: number): Promise<Figure[]> {
  const [bare, stream]: [Round[], Round[]] = [[], []]
  const before = await countPlays(place)
  await load(`${url}/bare`, connections)
  for (let round = 1; round <= ROUNDS; round++) {
    bare.push(await load(`${url}/bare`, connections))
    stream.push(await load(`${url}${path}`, connections))
    const [left, right] = [bare.at(-1), stream.at(-1)]
    console.log(
      `${connections} connections, round ${round}: bare ${left?.requestsPerSecond}/s (p99 ${left?.p99}), ` +
        `stream ${right?.requestsPerSecond}/s (p99 ${right?.p99})`,
    )
  }
  const errors = stream.reduce((sum, round) => sum + round.errors, 0)
  const answered = stream.reduce((sum, round) => sum + round.answers, 0) - errors
  const counted = (await countPlays(place)) - before
  // Answers that wrk does not read at the end are counted correctly.
  const surplus = counted - answered
  const ratio =
    median(stream.map((round) => round.requestsPerSecond)) / median(bare.map((round) => round.requestsPerSecond))
  const what = `stream, ${connections} connections`
  return [
    { what: `${what}: requests/s / bare`, measured: ratio.toFixed(2), goal: `>= ${GOAL}`, isMet: ratio >= GOAL },
    {
      what: `${what}: plays counted - redirects`,
      measured: `${surplus} of ${answered}, ${errors} errors`,
      goal: `0 to ${connections * ROUNDS}, 0 errors`,
      isMet: surplus >= 0 && surplus <= connections * ROUNDS && errors === 0,
    },
  ]
}

async function load(url: string, connections: number): Promise<Round> {
  const child = Bun.spawn(['wrk', '-t1', `-c${connections}`, `-d${SECONDS}s`, '--latency', url], { stdout: 'pipe' })
  const output = await new Response(child.stdout).text()
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  const lost = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1) ?? []
  return {
    requestsPerSecond: Math.round(number(/Requests\/sec:\s+([\d.]+)/)),
    answers: number(/(\d+) requests in/),
    errors: number(/Non-2xx or 3xx responses: (\d+)/) + lost.reduce((sum, part) => sum + Number(part), 0),
    p99: /99%\s+(\S+)/.exec(output)?.[1] ?? '?',
  }
}

async function countPlays({ env }: Place): Promise<number> {
  const postgres = await joinEmbeddedPostgres(join(env.DATA_DIR ?? '', 'postgres'))
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  try {
    return Number((await client.query('SELECT count(*) FROM play_event')).rows[0]?.count)
  } finally {
    await client.end()
    await postgres.stop()
  }
}
