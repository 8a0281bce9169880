import { join } from 'node:path'
import { Client } from 'pg'
import { rollUpPlays } from '../../src/domain/usage/roll-up.ts'
import { openDatabase } from '../../src/platform/db/client.ts'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { createLog } from '../../src/platform/log.ts'
import { cleanUp, createPlace, type ServiceProcess, startProcess } from '../faults/process.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const ROWS = 1_000_000
const DAYS = 30
const TRACKS = 1000
const RUNS = 11
const GOAL_MS = 100

/** Usage over a month with a million plays of a thousand tracks, as a client gets it over the wire. */
export async function benchUsage(): Promise<Figure[]> {
  const place = await createPlace()
  try {
    const service = await startProcess(place)
    const postgres = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
    const client = new Client({ connectionString: postgres.url })
    await client.connect()
    const now = new Date()
    await fillLedger(client, service.credentials.organization_id, now)
    const unsummed = await timed(service, 'day')
    const { pool, close } = openDatabase(postgres.url, createLog('warn', 'json'))
    const began = performance.now()
    await rollUpPlays(pool, now)
    const rollUpMs = performance.now() - began
    await close()
    await client.query('VACUUM ANALYZE play_count, play_event')
    await client.end()
    console.log(
      `added up in ${rollUpMs.toFixed(0)} ms; usage by day from the ledger alone took ${unsummed.ms.toFixed(0)} ms`,
    )
    const figures: Figure[] = []
    for (const groups of ['day', 'day,creator', 'track']) {
      const { ms, requests } = await timed(service, groups)
      const isMet = requests === ROWS && (groups !== 'day' || ms < GOAL_MS)
      const goal = groups === 'day' ? `< ${GOAL_MS} ms, ${ROWS} requests` : `${ROWS} requests`
      figures.push({
        what: `usage by ${groups}, ${ROWS} plays in ${DAYS} days`,
        measured: `${ms.toFixed(1)} ms, ${requests} requests`,
        ...{ goal, isMet },
      })
    }
    return figures
  } finally {
    await cleanUp(place)
  }
}

/** Plays of the last days; the newest are not rolled up yet. */
const fillLedger = (client: Client, organizationId: string, now: Date) =>
  client.query(
    `INSERT INTO play_event (id, organization_id, created_at, collection_id, creator_id, track_id, key_id, variant_id,
       listener, exclusion)
     SELECT gen_random_uuid(), $1, $2::timestamptz - random() * $3::int * interval '1 day' * 0.999, md5('c' || t % 50)::uuid,
       md5('r' || t % 20)::uuid, md5('t' || t)::uuid, md5('k' || n % 3)::uuid, md5('v')::uuid, md5('l' || n % 5000)::uuid,
       CASE WHEN n % 3 > 0 THEN 'repeat' END::play_exclusion
     FROM (SELECT n, floor(random() ^ 2 * $5::int)::int AS t FROM generate_series(1, $4::int) n) play`,
    [organizationId, now, DAYS, ROWS, TRACKS],
  )

/** The median of several answers, and what they count together. */
async function timed(service: ServiceProcess, groups: string): Promise<{ ms: number; requests: number }> {
  const times: number[] = []
  let requests = 0
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now()
    const { json } = await service.v1('GET', `/usage?group_by=${groups}`)
    times.push(performance.now() - began)
    requests = json.usage.reduce((sum: number, row: { requests: number }) => sum + row.requests, 0)
  }
  return { ms: median(times), requests }
}
