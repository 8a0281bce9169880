import { join } from 'node:path'
import { Client } from 'pg'
import { createKeyString } from '../../src/domain/access/key/key.ts'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type ServiceProcess, startProcess } from '../faults/process.ts'
import { fillLibrary } from '../support/library.ts'
import { queryGraphql } from './growth.ts'
import { LIMITED } from './limits.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const FEW = 200
const MANY = 20_000
const RUNS = 21
const MAX_RARE_MS = 30
const MAX_FREQUENT_MS = 150

/** Words by their rank: `w0` is in every transcript, `unique7` in the seventh only. */
const searches = {
  rare: 'unique7',
  missing: 'xylophone',
  frequent: 'w0',
  several: 'w0 w1 w2 w3 w4 w5 w6 w7',
  letters: 'w1a',
}
type Times = Record<keyof typeof searches, number>

/**
 * Searches of transcripts, 1,400 different words each, a long tail: of a small organization alone and next to one with 20,000, and of
 * one with 20,000, also with two translations of each. Pages of 20 over HTTP, against a page of tracks without a filter.
 */
export async function benchTranscripts(): Promise<Figure[]> {
  const place = await createPlace(LIMITED)
  try {
    const service = await startProcess(place)
    const { url } = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
    const client = new Client({ connectionString: url })
    await client.connect()
    const organizationId: string = service.credentials.organization_id
    const neighbor = await createNeighbor(client, service)
    await fillTranscripts(client, organizationId, FEW)
    const alone = await measure(service)
    await fillTranscripts(client, neighbor.credentials.organization_id, MANY)
    const beside = await measure(service)
    const many = await measure(neighbor)
    const page = await time(neighbor, '{ tracks(first: 20) { nodes { id } } }')
    await translate(client, neighbor.credentials.organization_id)
    const translated = await measure(neighbor)
    await client.end()
    const names = Object.keys(searches) as (keyof Times)[]
    return names.flatMap((name) => {
      const [goal, ratio] = [
        name === 'rare' || name === 'missing' ? MAX_RARE_MS : MAX_FREQUENT_MS,
        beside[name] / alone[name],
      ]
      return [
        {
          what: `words of transcripts, ${name}: ${MANY} transcripts`,
          measured: `${many[name].toFixed(1)} ms, ${(many[name] / page).toFixed(1)} times that of a page without a filter`,
          goal: `<= ${goal} ms`,
          isMet: many[name] <= goal,
        },
        {
          what: `words of transcripts, ${name}: ${FEW} next to those of another organization, of the same alone`,
          measured: `${ratio.toFixed(2)} (${beside[name].toFixed(1)} ms)`,
          goal: '<= 1.5',
          isMet: ratio <= 1.5,
        },
        {
          what: `words of transcripts, ${name}: ${MANY} with two translations each, of the same without`,
          measured: `${(translated[name] / many[name]).toFixed(2)} (${translated[name].toFixed(1)} ms)`,
          goal: '<= 3',
          isMet: translated[name] <= 3 * many[name],
        },
      ]
    })
  } finally {
    await cleanUp(place)
  }
}

type Organization = Pick<ServiceProcess, 'credentials'>

async function createNeighbor(client: Client, { credentials }: Organization): Promise<Organization> {
  const id = Bun.randomUUIDv7()
  const { key, hash } = createKeyString(id, 'api')
  await client.query(
    `INSERT INTO organization (id, name, domain, updated_at) VALUES ($1, 'Neighbor', 'neighbor.example', now())`,
    [id],
  )
  await client.query(
    `INSERT INTO api_key (id, organization_id, kind, title, hash) VALUES (gen_random_uuid(), $1, 'api', 'neighbor', $2)`,
    [id, hash],
  )
  return { credentials: { ...credentials, organization_id: id, api_key: key } }
}

async function measure(service: Organization): Promise<Times> {
  const times: [string, number][] = []
  for (const [name, search] of Object.entries(searches)) {
    times.push([
      name,
      await time(service, `{ tracks(first: 20, filter: { transcript: "${search}" }) { nodes { id } } }`),
    ])
  }
  return Object.fromEntries(times) as Times
}

/** @returns the median in milliseconds */
async function time(service: Organization, query: string): Promise<number> {
  const times: number[] = []
  while (times.length < RUNS) {
    const began = performance.now()
    await queryGraphql(service, query)
    times.push(performance.now() - began)
  }
  return median(times)
}

/** Writes the vectors, without their texts: 500 different ones, each with 50 words of its own. */
async function fillTranscripts(client: Client, organizationId: string, tracks: number): Promise<void> {
  await fillLibrary(client, organizationId, { collections: tracks / 50, tracks: 50, files: 0 })
  await client.query('DROP TABLE IF EXISTS bench_words')
  await client.query(
    `CREATE TABLE bench_words AS SELECT v, array_to_tsvector(array_agg(DISTINCT right($1::text, 8) ||
       CASE WHEN n % 2 = 0 THEN 'en:' ELSE '' END || 'w' || to_hex((30000 * power(random(), 4))::int))) AS words
     FROM generate_series(0, 499) v, generate_series(1, 2500) n GROUP BY v`,
    [organizationId],
  )
  await client.query(
    `INSERT INTO transcript_words (track_id, words)
     SELECT id, b.words || (SELECT array_to_tsvector(array_agg(right($1::text, 8) || 'unique' || at || CASE WHEN n > 1 THEN '.' || n ELSE '' END))
       FROM generate_series(1, 50) n)
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS at FROM track WHERE organization_id = $1::uuid) t
     JOIN bench_words b ON b.v = at % 500`,
    [organizationId],
  )
  await client.query('VACUUM ANALYZE')
}

/** Two translations of each transcript, with the words of other ones: as many vectors again, twice. */
async function translate(client: Client, organizationId: string): Promise<void> {
  // Without the trigger, which writes the words of the text.
  await client.query('ALTER TABLE translation DISABLE TRIGGER translation_words')
  await client.query(
    `INSERT INTO translation (id, track_id, language, text, form, words, updated_at)
     SELECT gen_random_uuid(), t.id, language, 'a', 'txt', b.words, now()
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS at FROM track WHERE organization_id = $1::uuid) t
     CROSS JOIN (VALUES ('de', 7), ('fr', 13)) l (language, distance)
     JOIN bench_words b ON b.v = (at + distance) % 500`,
    [organizationId],
  )
  await client.query('VACUUM ANALYZE')
}
