import { beforeAll, describe, expect, test } from 'bun:test'
import { data } from '../../support/administrators.ts'
import { fillLibrary } from '../../support/library.ts'
import { startTestService, type TestService, useTestService } from '../../support/service.ts'

const MAX_ROWS = 25_000
const MAX_BYTES = 8 << 20
const TEXT = 100_000

const service = useTestService()
beforeAll(async () => {
  const { pool } = service.services
  await fillLibrary(pool, service.demo.organization_id, { collections: 2, tracks: 210 })
  await pool.query(`UPDATE track SET transcription = repeat('word ', ${TEXT / 5}),
    metadata = jsonb_build_object('text', repeat('x', 60000))`)
}, 60_000)

const aliases = (field: string, count: number) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')

interface Answered {
  text: string
  json: { data?: unknown; errors?: { message: string; extensions: { code: string } }[]; extensions: { cost: Cost } }
}
interface Cost {
  requested: number
  remaining: number | null
}

/** Runs an operation as the first and as the third time: through Yoga, and compiled. */
async function runBothWays(query: string): Promise<Answered[]> {
  const answers = []
  for (let i = 0; i < 3; i++) answers.push(await service.request('POST', '/graphql', { body: { query } }))
  return [answers[0], answers[2]] as Answered[]
}

describe('an answer beyond its limit is limit_reached, at any price', () => {
  test.each([
    // 200 x 100 kB.
    ['texts of a page', '{ tracks(first: 200) { nodes { transcription } } }', 'MiB'],
    // 10 x 200 x 60 kB.
    [
      'metadata of pages',
      '{ tracks(first: 10) { nodes { collection { tracks(first: 200) { nodes { metadata } } } } } }',
      'MiB',
    ],
    ['texts of many statements', `{ ${aliases('tracks(first: 6) { nodes { transcription } }', 30)} }`, 'MiB'],
    // 1 MB is read, and 30 MB would be written.
    ['a text under many names', `{ tracks(first: 10) { nodes { ${aliases('transcription', 30)} } } }`, 'MiB'],
  ])('%s', async (_, query, named) => {
    for (const { json, text } of await runBothWays(query)) {
      expect(json.errors).toHaveLength(1)
      expect(json.errors?.[0]).toMatchObject({ extensions: { code: 'limit_reached' } })
      expect(json.errors?.[0]?.message).toContain(`query: the answer exceeds 8 ${named}`)
      expect(json.data ?? null).toBeNull()
      expect(text.length).toBeLessThan(1000)
    }
  })

  test('records, those of lists without pages included', async () => {
    const { pool } = service.services
    const { organization_id } = service.demo
    // 60 more files of each of 420 tracks.
    await pool.query(
      `INSERT INTO variant (id, organization_id, type, index, props, updated_at)
       SELECT gen_random_uuid(), $1, 'transcode', 'more-' || n, '{}', now() FROM generate_series(1, 60) n`,
      [organization_id],
    )
    await pool.query(
      `INSERT INTO track_file (id, organization_id, track_id, variant_id, state, index, props, updated_at)
       SELECT gen_random_uuid(), $1, t.id, v.id, 'queued', v.index, '{}', now() FROM track t, variant v
       WHERE t.organization_id = $1 AND v.index LIKE 'more-%'`,
      [organization_id],
    )
    const query = `{ ${aliases('tracks(first: 200) { nodes { files { id } } }', 3)} }`
    for (const { json } of await runBothWays(query)) {
      expect(json.errors?.map(({ extensions }) => extensions.code)).toEqual(['limit_reached'])
      expect(json.errors?.[0]?.message).toBe('query: the answer exceeds 25000 records; select smaller pages')
    }
    // Reads beyond the price are charged: 65 files of 200 tracks, and of the next one.
    const [first, repeated] = await runBothWays('{ tracks(first: 200) { nodes { files { id } } } }')
    expect([first?.json.extensions.cost.requested, repeated?.json.extensions.cost.requested]).toEqual([13_266, 13_266])
  })
})

test('an answer within the limits is written in pieces like any other', async () => {
  const query = '{ tracks(first: 45) { nodes { id transcription metadata } totalCount } }'
  const [first, repeated] = await runBothWays(query)
  expect(first?.text).toBe(repeated?.text ?? '')
  const json = first?.json
  expect(JSON.stringify(json)).toBe(first?.text ?? '')
  expect(first?.text.length).toBeWithin(45 * (TEXT + 60_000), MAX_BYTES)
  // A KiB costs a point, as it is more than the price.
  expect(json?.extensions.cost.requested).toBeWithin(45 * 155, 45 * 160)
})

test('an error of a field is part of a large answer, before the data', async () => {
  const query = `{ ${aliases('tracks(first: 200) { nodes { id fileName } }', 10)} track(id: "${crypto.randomUUID()}") { id } }`
  for (const { text, json } of await runBothWays(query)) {
    expect(text.startsWith('{"errors":[{')).toBe(true)
    expect(JSON.stringify(json)).toBe(text)
    expect(json.errors?.[0]?.extensions.code).toBe('not_found')
    expect(Object.keys(json.data as object)).toHaveLength(11)
  }
})

test('the operations of a batch share the limits', async () => {
  const one = { query: '{ tracks(first: 50) { nodes { transcription } } }' }
  const { json } = await service.request('POST', '/graphql', { body: [one, one] })
  const codes = json.map(({ errors }: Answered['json']) => errors?.[0]?.extensions.code ?? 'ok')
  expect(codes).toContain('limit_reached')
})

test('a connection is closed before it has delivered a large result', async () => {
  const { pool } = service.services.graphql
  const before = new Map<{ bytesRead: number }, number>()
  const note = (client: unknown) => {
    const { stream } = (client as { connection: { stream: { bytesRead: number } } }).connection
    before.set(stream, before.get(stream) ?? stream.bytesRead)
  }
  pool.on('acquire', note)
  await service.graphql('{ tracks(first: 10) { nodes { collection { tracks(first: 200) { nodes { metadata } } } } } }')
  pool.off('acquire', note)
  const read = [...before].reduce((sum, [{ bytesRead }, earlier]) => sum + bytesRead - earlier, 0)
  // Of 120 MB. One buffer may be more than the limit.
  expect(read).toBeLessThan(2 * MAX_BYTES)
})

describe('points over time', () => {
  let limited: TestService
  beforeAll(async () => {
    limited = await startTestService({ RATE_LIMITS: 'on' })
    const { pool } = limited.services
    await fillLibrary(pool, limited.demo.organization_id, { collections: 1, tracks: 100 })
    await pool.query(`UPDATE track SET transcription = repeat('word ', ${TEXT / 5})`)
    return () => limited.stop()
  }, 60_000)

  test('include what was read beyond the price', async () => {
    const query = '{ tracks(first: 50) { nodes { transcription } } }'
    const { cost } = (await limited.graphql(query)).extensions
    expect(cost.requested).toBeWithin(50 * 97, 50 * 100)
    expect(cost.remaining).toBe(600_000 - cost.requested)
    await data(limited, '{ viewer { __typename } }', {}, limited.demo.api_key)
    await limited.stop()
  })
})

test('the limits are those of the guide', async () => {
  const guide = await Bun.file('src/web/docs/guides/limits-and-cost.md').text()
  expect(guide).toContain(`| records that an operation reads * | ${MAX_ROWS.toLocaleString('en')} |`)
  expect(guide).toContain(`| bytes of an answer * | ${MAX_BYTES.toLocaleString('en')} (8 MiB) |`)
})
