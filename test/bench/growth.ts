import { join } from 'node:path'
import { Client } from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type ServiceProcess, startProcess } from '../faults/process.ts'
import { fillLargeLibrary, LARGE_TRACKS } from './large-library.ts'
import { LIMITED } from './limits.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const SMALL_TRACKS = 10_000
const RUNS = 11

interface Read {
  what: string
  goalMs: number
  /** @returns what the answer must contain, to check it */
  run: (service: ServiceProcess) => Promise<unknown>
  expected: (tracks: number) => unknown
  summary?: string
}

const RARE = 'Zephyr in Blue'
const RARE_TRACKS = 3

const page = (args: string) => `{ tracks(first: 50, ${args}) { totalCount nodes { id fileName createdAt } } }`
const search = (term: string) => page(`filter: { search: "${term}" }`)
const totalOf = (query: string) => async (service: ServiceProcess) =>
  (await queryGraphql(service, query)).tracks.totalCount
const shownOf = (query: string) => async (service: ServiceProcess) =>
  (await queryGraphql(service, query)).tracks.nodes.length

const reads: Read[] = [
  { what: 'number of tracks', goalMs: 100, run: totalOf('{ tracks { totalCount } }'), expected: (tracks) => tracks },
  {
    what: 'search, rare term',
    goalMs: 30,
    run: totalOf(search(RARE)),
    expected: () => RARE_TRACKS,
    summary: 'search for a rare term in 1,000,000 tracks',
  },
  { what: 'search, missing term', goalMs: 30, run: totalOf(search('xylophone')), expected: () => 0 },
  {
    what: 'search, term of a third of the tracks, first page',
    goalMs: 30,
    run: shownOf('{ tracks(first: 50, filter: { search: "ba" }) { nodes { id fileName } } }'),
    expected: () => 50,
  },
  {
    what: 'tracks with stale files',
    goalMs: 100,
    run: totalOf(page('filter: { hasStaleFiles: true }')),
    expected: () => 0,
  },
  {
    what: 'tracks by updatedAt',
    goalMs: 30,
    run: shownOf('{ tracks(first: 50, orderBy: { field: UPDATED_AT, direction: DESC }) { nodes { id } } }'),
    expected: () => 50,
  },
  {
    what: 'tracks by fileName',
    goalMs: 30,
    run: shownOf('{ tracks(first: 50, orderBy: { field: FILE_NAME, direction: ASC }) { nodes { id } } }'),
    expected: () => 50,
  },
  {
    what: 'storage usage',
    goalMs: 50,
    run: async (service) => (await service.v1('GET', '/usage/storage')).json.usage[0].source_bytes,
    expected: (tracks) => tracks * 1_000_000,
    summary: 'storage usage of 2,000,000 files',
  },
]

/** Reads of an organization with 10,000 and with 1,000,000 tracks, over HTTP. */
export async function benchGrowth(): Promise<Figure[]> {
  const small = await measure(SMALL_TRACKS)
  const large = await measure(LARGE_TRACKS)
  return reads.map(({ what, goalMs, summary }, i) => {
    const [few, many] = [small[i] ?? 0, large[i] ?? 0]
    const measured = `${many.toFixed(1)} ms, ${(many / few).toFixed(1)} times that of ${SMALL_TRACKS} tracks`
    const figure = { what: `${what}, ${LARGE_TRACKS} tracks`, measured, goal: `<= ${goalMs} ms`, isMet: many <= goalMs }
    return summary ? { ...figure, summary } : figure
  })
}

/** @returns the median milliseconds of each read */
async function measure(tracks: number): Promise<number[]> {
  const place = await createPlace(LIMITED)
  try {
    const service = await startProcess(place)
    const postgres = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
    const client = new Client({ connectionString: postgres.url })
    await client.connect()
    await fillLargeLibrary(client, service.credentials.organization_id, { tracks })
    await client.query(
      `UPDATE track SET player_title = $1 WHERE id IN (SELECT id FROM track WHERE status = 'ready' ORDER BY id LIMIT $2)`,
      [RARE, RARE_TRACKS],
    )
    await client.query('VACUUM ANALYZE')
    await client.end()
    const times: number[] = []
    for (const { what, run, expected } of reads) {
      const runs: number[] = []
      for (let i = 0; i < RUNS; i++) {
        const began = performance.now()
        const answer = await run(service)
        runs.push(performance.now() - began)
        if (answer !== expected(tracks)) throw new Error(`${what}: expected ${expected(tracks)}, got ${answer}`)
      }
      times.push(median(runs))
    }
    return times
  } finally {
    await cleanUp(place)
  }
}

/** @throws Error with the errors of the answer */
export async function queryGraphql({ credentials }: Pick<ServiceProcess, 'credentials'>, query: string) {
  const response = await fetch(credentials.graphql_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credentials.api_key}` },
    body: JSON.stringify({ query }),
  })
  const { data, errors } = await response.json()
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}
