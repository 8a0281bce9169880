// Benches run with RATE_LIMITS=on, the default with DATABASE_URL, and report the cost of the limits.
import { join } from 'node:path'
import type { Client } from 'pg'
import { createKeyString } from '../../src/domain/access/key/key.ts'
import { createPlace, type Place, spawnMain } from '../faults/process.ts'
import { until } from '../support/until.ts'

/** Settings of a service that a bench measures. */
export const LIMITED = { RATE_LIMITS: 'on' }
/** Enough for the requests and points of a minute of a bench: each key has 6,000 and 600,000. */
const KEYS = 500

/** Creates keys of an organization by SQL, which take turns in a bench. */
export async function createKeys(client: Pick<Client, 'query'>, organizationId: string): Promise<string[]> {
  const keys = Array.from({ length: KEYS }, () => createKeyString(organizationId, 'api'))
  await client.query(
    `INSERT INTO api_key (id, organization_id, kind, title, hash)
     SELECT gen_random_uuid(), $1, 'api', 'bench', hash FROM unnest($2::text[]) hash`,
    [organizationId, keys.map(({ hash }) => hash)],
  )
  return keys.map(({ key }) => key)
}

/**
 * Starts a second gateway with RATE_LIMITS=off on the database of a service.
 * @returns its address, and its place, which is to be cleaned up
 */
export async function startUnlimited(place: Place, databaseUrl: string): Promise<{ url: string; place: Place }> {
  const secret = await Bun.file(join(place.env.DATA_DIR ?? '', 'secret')).text()
  const settings = { DATABASE_URL: databaseUrl, SECRET: secret, ROLES: 'gateway', RATE_LIMITS: 'off', DEMO: 'off' }
  const servicePlace = await createPlace({ ...settings, EDGE_URL: `http://localhost:${place.env.EDGE_PORT}` })
  const url = `http://localhost:${servicePlace.env.PORT}`
  const { child, stderr } = spawnMain(servicePlace)
  await until('the gateway without limits', 30_000, async () => {
    if (child.exitCode !== null) throw new Error(`the gateway ended: ${await stderr()}`)
    return (await fetch(`${url}/health/ready`).catch(() => null))?.ok
  })
  return { url, place: servicePlace }
}
