import { join } from 'node:path'
import { Client } from 'pg'
import { grains } from '../../src/domain/usage/grains.ts'
import { rollUpPlays } from '../../src/domain/usage/roll-up.ts'
import { openDatabase } from '../../src/platform/db/client.ts'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { createLog } from '../../src/platform/log.ts'
import { DAY_MS, HOUR_MS } from '../../src/platform/time.ts'
import { cleanUp, createPlace, type ServiceProcess, startProcess } from '../faults/process.ts'
import { fillLargeLibrary, fillPlays } from './large-library.ts'
import { LIMITED } from './limits.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const PLAYS = 10_000_000
const DAYS = 20
/** Hours that are summed one by one, as by the job. */
const SINGLE_HOURS = 9
const RUNS = 9
const FILLED = `${PLAYS.toLocaleString('en')} plays`

/** Usage of plays of a long tail, of a library of a million tracks, as a client gets it over the wire. */
export async function benchUsage(): Promise<Figure[]> {
  const place = await createPlace(LIMITED)
  try {
    const service = await startProcess(place)
    const postgres = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
    const client = new Client({ connectionString: postgres.url })
    await client.connect()
    const now = new Date()
    const organizationId = service.credentials.organization_id
    await fillLargeLibrary(client, organizationId, { files: 0 })
    await fillPlays(client, organizationId, { plays: PLAYS, days: DAYS, to: now })
    await client.query('VACUUM ANALYZE play_event')
    const rollUp = await benchRollUp(client, postgres.url, now)
    await client.query(`VACUUM ANALYZE ${grains.map(({ table }) => table).join(', ')}`)
    await client.end()
    return [
      await benchGroups(service, 'day', 50, 'usage by day, 10,000,000 plays'),
      await benchGroups(service, 'creator', 100),
      await benchGroups(service, 'creator,key', 100),
      await benchExport(service, now),
      ...rollUp,
    ]
  } finally {
    await cleanUp(place)
  }
}

/** The duration of a run after an hour, and of all others in one run, and how many rows they leave. */
async function benchRollUp(client: Client, url: string, now: Date): Promise<Figure[]> {
  const { pool, close } = openDatabase(url, createLog('warn', 'json'))
  const timed = async (until: number) => {
    const began = performance.now()
    await rollUpPlays(pool, new Date(until))
    return performance.now() - began
  }
  const last = now.getTime() - SINGLE_HOURS * HOUR_MS
  const hours = (DAYS * DAY_MS) / HOUR_MS - SINGLE_HOURS
  const perHour = (await timed(last)) / hours
  const single: number[] = []
  for (let hour = 1; hour <= SINGLE_HOURS; hour++) single.push(await timed(last + hour * HOUR_MS))
  await close()
  const counts = grains.map(({ table }) => `(SELECT count(*) FROM ${table})`).join(' + ')
  const { rows } = await client.query<{ sums: number; played: number }>(
    `SELECT (${counts})::float8 AS sums, count(*)::float8 AS played FROM (
       SELECT DISTINCT track_id, (created_at AT TIME ZONE 'UTC')::date FROM play_event
       WHERE created_at < (SELECT summed_to FROM play_counted)) AS played`,
  )
  const { sums = 0, played = 1 } = rows[0] ?? {}
  const hourly = median(single)
  return [
    {
      what: `roll-up after an hour, ${FILLED} in ${DAYS} days`,
      measured: `${hourly.toFixed(0)} ms`,
      goal: '<= 1000 ms',
      isMet: hourly <= 1000,
    },
    {
      what: `roll-up of ${hours} hours in one run, for each`,
      measured: `${perHour.toFixed(0)} ms`,
      goal: '<= 1000 ms',
      isMet: perHour <= 1000,
    },
    {
      what: 'rows of sums / days x tracks played',
      measured: `${(sums / played).toFixed(2)}, ${sums} rows`,
      goal: '<= 1.1',
      isMet: sums / played <= 1.1,
    },
  ]
}

/** The median of several answers, and the requests that they count together. */
async function benchGroups(service: ServiceProcess, groups: string, goalMs: number, summary?: string): Promise<Figure> {
  const times: number[] = []
  let requests = 0
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now()
    const { json } = await service.v1('GET', `/usage?group_by=${groups}`)
    times.push(performance.now() - began)
    requests = json.usage.reduce((sum: number, row: { requests: number }) => sum + row.requests, 0)
  }
  const ms = median(times)
  return {
    what: `usage by ${groups}, ${FILLED} in ${DAYS} days`,
    measured: `${ms.toFixed(1)} ms, ${requests} requests`,
    goal: `<= ${goalMs} ms, ${PLAYS} requests`,
    isMet: ms <= goalMs && requests === PLAYS,
    ...(summary ? { summary } : {}),
  }
}

/** The time until the first rows of a CSV by track, for a day, whose requests are those of the day. */
async function benchExport(service: ServiceProcess, now: Date): Promise<Figure> {
  const day = (before: number) => new Date(now.getTime() - before * DAY_MS).toISOString().slice(0, 10)
  const range = `from=${day(2)}&to=${day(1)}`
  const { usage } = (await service.v1('GET', `/usage?${range}`)).json
  const expected = usage[0].requests
  const headers = { authorization: `Bearer ${service.credentials.api_key}` }
  const times: number[] = []
  let [rows, requests] = [0, 0]
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now()
    const response = await fetch(`${service.url}/v1/usage?${range}&group_by=track&format=csv`, { headers })
    const chunks: Uint8Array[] = []
    for await (const chunk of response.body ?? []) {
      if (chunks.push(chunk) === 1) times.push(performance.now() - began)
    }
    const lines = Buffer.concat(chunks).toString().trimEnd().split('\r\n').slice(1)
    rows = lines.length
    requests = lines.reduce((sum, line) => sum + Number(line.split(',')[1]), 0)
  }
  const ms = median(times)
  return {
    what: `usage by track of a day as CSV of ${rows} rows: first rows`,
    measured: `${ms.toFixed(1)} ms, ${requests} requests`,
    goal: `<= 200 ms, ${expected} requests`,
    isMet: ms <= 200 && requests === expected,
    summary: 'usage by track of a day as CSV of 300,000 rows: first rows',
  }
}
