import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { signIn } from '../../support/administrators.ts'
import { fillLibrary } from '../../support/library.ts'
import { useTestService } from '../../support/service.ts'
import { countObjects, writeOperation } from './generated-operations.ts'

const MAX_POINTS = 25_000
const MAX_ROWS = 25_000
const MAX_BYTES = 8 << 20
const SEEDS = [20_261_124, 27, 4_711]
const RUNS = 150

const service = useTestService()
let ids: Record<string, string>
let token: string
beforeAll(async () => {
  const { organization_id, collection_id } = service.demo
  const { pool, db } = service.services
  await fillLibrary(pool, organization_id, { collections: 3, tracks: 210 })
  await pool.query(`UPDATE track SET transcription = repeat('word ', 4000),
    metadata = jsonb_build_object('text', repeat('x', 20000)),
    chapters = '[{"title": "One", "start_seconds": 0}]',
    theme = '[{"hex": "#112233", "area": 0.5, "lightness": 0.5, "saturation": 0.5}]',
    info = info || '{"tags": {"artist": "A", "title": "B", "album": "C"}}'`)
  await service.v1('POST', '/upload_session', { body: { collection_id } })
  const where = { organizationId: organization_id }
  // The same records in each run, as a seed stands for the same answers.
  const track = (await db.track.findFirstOrThrow({ where, orderBy: [{ fileName: 'asc' }, { id: 'asc' }] })).id
  const creator = (await db.creator.findFirstOrThrow({ where, orderBy: { organizationIndex: 'asc' } })).id
  const variant = (await db.variant.findFirstOrThrow({ where, orderBy: { index: 'asc' } })).id
  ids = { organization: organization_id, collection: collection_id, track, creator, variant }
  token = (await signIn(service)).token
}, 60_000)

/** Codes that an operation of the schema may have. */
const EXPECTED = new Set(['invalid_input', 'limit_reached', 'forbidden', 'not_found'])

test.each(SEEDS)(
  'an operation of the schema costs what it returns, and returns no more than the limits (seed %i)',
  async (seed) => {
    const seen = { answered: 0, refused: 0, objects: 0, most: 0 }
    const property = fc.asyncProperty(fc.gen(), async (generate) => {
      const query = writeOperation(generate, ids)
      // Twice through Yoga, then compiled.
      const answers = []
      for (let i = 0; i < 3; i++)
        answers.push(await service.request('POST', '/graphql', { body: { query }, key: token }))
      for (const { json, text } of answers) {
        const codes: string[] = (json.errors ?? []).map(
          (error: { extensions: { code: string } }) => error.extensions.code,
        )
        expect(codes.filter((code) => !EXPECTED.has(code))).toEqual([])
        expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES + 10_000)
        if (!json.data) {
          seen.refused += 1
          continue
        }
        const objects = countObjects(json.data) - 1
        const { requested } = json.extensions.cost
        expect(requested).toBeGreaterThanOrEqual(objects)
        expect(requested).toBeLessThanOrEqual(MAX_POINTS)
        expect(objects).toBeLessThanOrEqual(MAX_ROWS)
        expect(requested * 4096).toBeGreaterThan(text.length - 4096)
        seen.answered += 1
        seen.objects += objects
        seen.most = Math.max(seen.most, objects)
      }
      expect(answers[2]?.json.data).toEqual(answers[0]?.json.data)
    })
    await fc.assert(property, { seed, numRuns: RUNS })
    expect(seen.answered).toBeGreaterThan(RUNS)
    // More than one page: how many more depends on the random words of the library.
    expect(seen.most).toBeGreaterThan(200)
  },
  120_000,
)
