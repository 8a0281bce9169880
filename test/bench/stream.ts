import { join } from 'node:path'
import { Client } from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type Place, startProcess } from '../faults/process.ts'
import { until } from '../support/until.ts'
import { fillLargeLibrary, LARGE_TRACKS } from './large-library.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
/** Tracks in the database. A smaller number shortens the seeding, which takes minutes. */
const TRACKS = Number(process.env.BENCH_TRACKS ?? LARGE_TRACKS)
/** Tracks that are requested. */
const LINKS = 10_000
const ROUNDS = 3
const CONNECTIONS = [64, 256]
const MIX_CONNECTIONS = 64
const REPEATED_GOAL = 0.5
const MIX_GOAL = 0.25
const STEADY_GOAL = 0.8
/** A redirect that writes a row of an ID and a time, in groups as the service does (`stream-server.ts`). */
const REFERENCE = 'a durable row'
/** Of a listener whose requests are repeated. */
const REPEATED = ['-H', 'X-Forwarded-For: 10.0.0.1']
const MIX = ['-s', join(import.meta.dir, 'stream-mix.lua')]

interface Round {
  requestsPerSecond: number
  /** Answers that wrk read. */
  answers: number
  errors: number
  p99: string
}

/**
 * Stream links compared with a redirect of the same server that writes a durable row for each request, and whether each
 * redirect was counted: one link repeated, and a mix of 10,000 tracks and 100,000 listeners that starts with empty tables.
 */
export async function benchStream(): Promise<Figure[]> {
  if (!Bun.which('wrk')) throw new Error('the stream bench needs wrk (Debian: apt-get install wrk)')
  const place = await createPlace({ TRUSTED_PROXIES: '1' })
  let server: Bun.Subprocess | undefined
  try {
    const links = await prepareLinks(place)
    const listed = join(place.folder, 'links')
    await Bun.write(listed, links.join('\n'))
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
    for (const connections of CONNECTIONS) {
      figures.push(...(await compareRepeated(place, url, `${url}${links[0]}`, connections)))
    }
    return [...figures, ...(await compareMix(place, url, listed))]
  } finally {
    server?.kill('SIGTERM')
    await server?.exited
    await cleanUp(place)
  }
}

/** Fills a library. @returns paths of stream links, in random order */
async function prepareLinks(place: Place): Promise<string[]> {
  const service = await startProcess(place)
  const { organization_id: organizationId, share_key: key } = service.credentials
  const links = await withDatabase(place, async (client) => {
    // A stream link reads one file of a track, so no other files are needed.
    await fillLargeLibrary(client, organizationId, { tracks: TRACKS, files: 1 })
    const { rows } = await client.query<{ id: string }>('SELECT id FROM track ORDER BY md5(id::text) LIMIT $1', [LINKS])
    return rows.map(({ id }) => `/v1/stream/${id}/${key}`)
  })
  service.kill('SIGTERM')
  await service.exited
  return links
}

async function compareRepeated(place: Place, url: string, link: string, connections: number): Promise<Figure[]> {
  const [bare, durable, stream]: [Round[], Round[], Round[]] = [[], [], []]
  const before = await countPlays(place)
  await load(`${url}/bare`, connections)
  for (let round = 1; round <= ROUNDS; round++) {
    bare.push(await load(`${url}/bare`, connections))
    durable.push(await load(`${url}/durable`, connections))
    stream.push(await load(link, connections, REPEATED))
    print(`${connections} connections, round ${round}`, {
      bare: bare.at(-1),
      durable: durable.at(-1),
      stream: stream.at(-1),
    })
  }
  const ratio = rateOf(stream) / rateOf(durable)
  const what = `stream, one link repeated, ${connections} connections`
  return [
    {
      what: `${what}: requests/s / ${REFERENCE}`,
      measured: ratio.toFixed(2),
      goal: `>= ${REPEATED_GOAL}`,
      isMet: ratio >= REPEATED_GOAL,
      ...(connections === CONNECTIONS[0] && {
        summary:
          'stream link, one link repeated: requests per second, of those of a program that only writes a row for each',
      }),
    },
    countFigure(what, stream, (await countPlays(place)) - before, connections),
  ]
}

/** The tables of plays are empty at the start, as those of a new month. The plans of warm connections are made again. */
async function compareMix(place: Place, url: string, listed: string): Promise<Figure[]> {
  const mix = () => load(`${url}/`, MIX_CONNECTIONS, MIX, { LINKS: listed })
  await mix()
  const durable = [await load(`${url}/durable`, MIX_CONNECTIONS)]
  await withDatabase(place, (client) => client.query('TRUNCATE last_listen, play_event'))
  const stream: Round[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    stream.push(await mix())
    print(`mix, round ${round}`, { stream: stream.at(-1) })
  }
  const counted = await countPlays(place)
  durable.push(await load(`${url}/durable`, MIX_CONNECTIONS))
  print('mix', { durable: durable.at(-1) })
  const ratio = rateOf(stream) / rateOf(durable)
  const rates = stream.map(({ requestsPerSecond }) => requestsPerSecond)
  const steadiness = Math.min(...rates) / Math.max(...rates)
  const what = `stream, ${LINKS.toLocaleString('en')} of ${TRACKS.toLocaleString('en')} tracks, 100,000 listeners`
  return [
    {
      what: `${what}: requests/s / ${REFERENCE}`,
      measured: ratio.toFixed(2),
      goal: `>= ${MIX_GOAL}`,
      isMet: ratio >= MIX_GOAL,
      summary: `stream link, ${LINKS.toLocaleString('en')} tracks and 100,000 listeners: requests per second, of those of a program that only writes a row for each`,
    },
    {
      what: `${what}: slowest / fastest of ${ROUNDS} rounds on fresh tables`,
      measured: steadiness.toFixed(2),
      goal: `>= ${STEADY_GOAL}`,
      isMet: steadiness >= STEADY_GOAL,
    },
    countFigure(what, stream, counted, MIX_CONNECTIONS),
  ]
}

const rateOf = (rounds: readonly Round[]) => median(rounds.map(({ requestsPerSecond }) => requestsPerSecond))

function countFigure(what: string, rounds: readonly Round[], counted: number, connections: number): Figure {
  const errors = rounds.reduce((sum, round) => sum + round.errors, 0)
  const answered = rounds.reduce((sum, round) => sum + round.answers, 0) - errors
  // Answers that wrk does not read at the end are counted correctly.
  const surplus = counted - answered
  return {
    what: `${what}: plays counted - redirects`,
    measured: `${surplus} of ${answered}, ${errors} errors`,
    goal: `0 to ${connections * ROUNDS}, 0 errors`,
    isMet: surplus >= 0 && surplus <= connections * ROUNDS && errors === 0,
  }
}

const print = (what: string, rounds: Record<string, Round | undefined>) =>
  console.log(
    `${what}: ${Object.entries(rounds)
      .map(([name, round]) => `${name} ${round?.requestsPerSecond}/s (p99 ${round?.p99})`)
      .join(', ')}`,
  )

async function load(
  url: string,
  connections: number,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Round> {
  const command = ['wrk', '-t1', `-c${connections}`, `-d${SECONDS}s`, '--latency', ...args, url]
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: 'pipe' })
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

const countPlays = (place: Place) =>
  withDatabase(place, async (client) => Number((await client.query('SELECT count(*) FROM play_event')).rows[0]?.count))

/** Runs work on the database of the running server. */
async function withDatabase<T>({ env }: Place, work: (client: Client) => Promise<T>): Promise<T> {
  const postgres = await joinEmbeddedPostgres(join(env.DATA_DIR ?? '', 'postgres'))
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
    await postgres.stop()
  }
}
