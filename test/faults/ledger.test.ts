// Kills the service while it counts plays: every redirected request is counted once, and nothing else is counted.
// KILLS=500 runs the whole measurement.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { tone } from '../support/audio.ts'
import { until } from '../support/until.ts'
import { cleanUp, createPlace, type Place, spawnMain, startProcess, untilStatus, uploadTo } from './process.ts'

const KILLS = Number(process.env.KILLS ?? 12)
/** One kill of this many hits the database instead. */
const DATABASE_EVERY = 6
const CLIENTS = 24
const LISTENERS = 5
/** From the first answer to the kill, in milliseconds: anywhere in the middle of batches. */
const LIVES = [1, 5, 10, 20, 35, 50, 80]

setDefaultTimeout(60_000 + KILLS * 10_000)

const places: Place[] = []
afterAll(() => cleanUp(...places))

/** Creates a playable track. @returns the path of its stream link, and its place */
async function prepare() {
  const place = await createPlace()
  places.push(place)
  const service = await startProcess(place)
  const id = await uploadTo(service, await tone(1))
  await untilStatus(service, id, ['ready'])
  service.kill('SIGTERM')
  await service.exited
  return { path: `/v1/stream/${id}/${service.credentials.share_key}`, data: place.env.DATA_DIR ?? '' }
}

test('acknowledged <= counted <= attempted, and none twice', async () => {
  const { path, data } = await prepare()
  const postgres = await startEmbeddedPostgres(join(data, 'postgres'))
  const pool = new Pool({ connectionString: postgres.url, max: 1 })
  pool.on('error', () => {})
  const acknowledged: string[] = []
  let attempted = 0
  try {
    const SECRET = await Bun.file(join(data, 'secret')).text()
    const env = { DATABASE_URL: postgres.url, SECRET, ROLES: 'gateway', DEMO: 'off' }
    const place = await createPlace(env)
    places.push(place)
    const url = `http://localhost:${place.env.PORT}`
    for (let kill = 1; kill <= KILLS; kill++) {
      await until('the database', 30_000, () => pool.query('SELECT 1').catch(() => null))
      const child = await startGateway(place)
      let isAlive = true
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
      const client = async (number: number) => {
        while (isAlive) {
          attempted += 1
          const headers = {
            'user-agent': `Mozilla/5.0 (X11; rv:13${number % LISTENERS}.0) Firefox/13${number % LISTENERS}.0`,
          }
          const response = await fetch(url + path, { redirect: 'manual', headers }).catch(() => null)
          if (response?.status !== 302) continue
          acknowledged.push(response.headers.get('x-request-id') ?? '')
          answer()
        }
      }
      const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
      await answered
      await Bun.sleep(LIVES[kill % LIVES.length] ?? 0)
      if (kill % DATABASE_EVERY === 0) await killBackend(pool)
      child.kill('SIGKILL')
      await child.exited
      isAlive = false
      await Promise.all(clients)
    }
    await until('the database', 30_000, () => pool.query('SELECT 1').catch(() => null))
    const { rows } = await pool.query(
      `SELECT count(*)::int AS counted, count(DISTINCT id)::int AS ids, count(*) FILTER (WHERE id = ANY ($1))::int AS kept,
         count(*) FILTER (WHERE exclusion IS NULL)::int AS listens FROM play_event`,
      [acknowledged],
    )
    const { counted, ids, kept: eventCount, listens } = rows[0]
    console.log(`${KILLS} kills: acknowledged ${acknowledged.length}, counted ${counted}, attempted ${attempted}`)
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
    expect(eventCount).toBe(acknowledged.length)
    expect(ids).toBe(counted)
    expect(counted).toBeLessThanOrEqual(attempted)
    expect(listens).toBe(LISTENERS)
  } finally {
    await pool.end().catch(() => {})
    await postgres.stop()
  }
})

/** Starts the gateway, repeatedly while it ends because the database is recovering. */
async function startGateway(place: Place): Promise<Bun.Subprocess> {
  let { child, stderr } = spawnMain(place)
  try {
    await until('the gateway', 30_000, async () => {
      if (child.exitCode !== null) ({ child, stderr } = spawnMain(place))
      return (await fetch(`http://localhost:${place.env.PORT}/health/ready`).catch(() => null))?.ok
    })
  } catch (error) {
    throw new Error(await stderr(), { cause: error })
  }
  return child
}

/** Kills one process of the database: PostgreSQL restarts all of them and recovers from its log. */
async function killBackend(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1`,
  )
  if (rows[0]) process.kill(rows[0].pid, 'SIGKILL')
}
