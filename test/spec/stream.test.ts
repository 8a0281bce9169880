import { beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { measure, tone } from '../support/audio.ts'
import { type Answer, uploadTrack, useTestService } from '../support/service.ts'
import { deliverySecrets } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'
import { createCollection, createForeign, createTrack, makeKey, ok, UNKNOWN_ID, UUID } from './support.ts'

const service = useTestService({ DELIVERY_URL: 'https://{org_domain}' })
let trackId: string
let hq: string
beforeAll(async () => {
  trackId = await uploadTrack(service, await tone(2))
  await service.runJobs()
  hq = (await service.services.db.variant.findFirstOrThrow({ where: { index: 'hq' } })).id
})

const stream = (track: string, key: string, headers: Record<string, string> = {}) =>
  service.v1('GET', `/stream/${track}/${key}`, { key: null, headers })
const plays = () => service.services.db.playEvent.count()
const location = (answer: Answer) => new URL(answer.headers.get('location') ?? '')
const shareKey = (data: Parameters<typeof makeKey>[2] = {}) => makeKey(service, 'share', { variantId: hq, ...data })

/** A track in its own collection, with a row of a finished file. */
async function playable() {
  const { id: collection_id } = await createCollection(service)
  const track = await createTrack(service, { collection_id })
  const doneState = { state: 'done', contentType: 'audio/mp4', fileName: 'a.m4a', size: 1, props: {} } as const
  const owner = { organizationId: service.demo.organization_id, trackId: track.id, variantId: hq }
  const path = `${track.base_path}_hq.m4a`
  const result = { path, storageKey: path, sha256: 'a'.repeat(64), completedAt: new Date() }
  await service.services.db.trackFile.create({ data: { ...doneState, ...owner, ...result } })
  return track
}

/** The one answer to every failure (contract, section 6). */
function expectNoStream(answer: Answer) {
  expect(answer.status).toBe(404)
  expect(answer.text).toBe('Not found')
  expect(answer.headers.get('content-type')?.split(';')[0]).toBe('text/plain')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.has('location')).toBe(false)
}

test('contract 2: last-used time is kept for share keys, accurate to an hour', async () => {
  const { db } = service.services
  const key = await shareKey()
  const { id } = await db.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } })
  const lastUsed = async () => (await db.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt?.getTime() ?? null
  const start = Date.now()
  const useAt = async (time: number) => {
    service.clock.now = new Date(time)
    expect((await stream(trackId, key)).status).toBe(302)
  }
  const isUsed = (time: number) => until('the time of use', 20_000, async () => (await lastUsed()) === time)
  try {
    service.clock.now = new Date(start)
    expectNoStream(await stream(UNKNOWN_ID, key))
    expect(await lastUsed()).toBeNull()
    await useAt(start)
    await isUsed(start)
    await useAt(start + 3_599_000)
    // The first use of another key is written after it.
    const other = await shareKey()
    const { id: otherId } = await db.apiKey.findFirstOrThrow({ orderBy: { id: 'desc' } })
    expect((await stream(trackId, other)).status).toBe(302)
    await until('the use of the other key', 20_000, async () => {
      return (await db.apiKey.findUniqueOrThrow({ where: { id: otherId } })).lastUsedAt !== null
    })
    expect(await lastUsed()).toBe(start)
    await useAt(start + 3_600_000)
    await isUsed(start + 3_600_000)
  } finally {
    service.clock.now = null
  }
})

describe('contract 6: a browser gets a page for a failed link', () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const page = (track: string, key: string) => stream(track, key, { accept })

  test('answers the same page for every cause', async () => {
    const gone = await shareKey({ revokedAt: new Date() })
    const causes = [
      await page(UNKNOWN_ID, service.demo.share_key),
      await page('x', service.demo.share_key),
      await page(trackId, 'x'),
      await page(trackId, gone),
      await page(trackId, service.demo.api_key),
    ]
    for (const { status, headers, text, request } of causes) {
      expect(status, request).toBe(404)
      expect(headers.get('content-type'), request).toBe('text/html; charset=utf-8')
      expect(headers.get('cache-control'), request).toBe('no-store')
      expect(text, request).toContain('<h1>This link does not work</h1>')
      expect(text, request).toBe(causes[0]?.text ?? '')
    }
  })

  test('redirects a browser for a valid link', async () => {
    expect((await page(trackId, service.demo.share_key)).status).toBe(302)
  })
})

describe('4 GET /v1/stream/:track_id/:api_key', () => {
  test('4 Success response: status 302, header `Location` pointing to `https://{org_domain}/{file_path}?verify=<hmac_token>`, header `Cache-Control: no-store`, no JSON body', async () => {
    const answer = await stream(trackId, service.demo.share_key)
    expect(answer.status).toBe(302)
    expect(answer.text).toBe('')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type') ?? '').not.toContain('json')
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
    const { domain } = await service.services.db.organization.findFirstOrThrow()
    const file = await service.services.db.trackFile.findFirstOrThrow({ where: { trackId, variantId: hq } })
    const url = location(answer)
    expect(`${url.origin}${url.pathname}`).toBe(`https://${domain}/${file.path}`)
    expect([...url.searchParams.keys()]).toEqual(['verify'])
  })

  test('contract 6: `?verify=<issued unix seconds>-<mac>`, mac = base64url of HMAC-SHA256(secret, path + issued)', async () => {
    const { pathname, searchParams } = location(await stream(trackId, service.demo.share_key))
    const [issued = '', mac] = (searchParams.get('verify') ?? '').split(/-(.*)/)
    expect(Math.abs(Number(issued) - Date.now() / 1000)).toBeLessThan(30)
    const [secret = ''] = await deliverySecrets(service)
    const expected = createHmac('sha256', secret)
      .update(pathname + issued)
      .digest('base64url')
    expect(mac).toBe(expected)
  })

  test('4 stream | track_id | uuid | Yes', async () => {
    expect((await stream(trackId.toUpperCase(), service.demo.share_key)).status).toBe(302)
    for (const id of ['x', '1', `${trackId}0`, UNKNOWN_ID]) expectNoStream(await stream(id, service.demo.share_key))
  })

  test('4 stream | api_key | string | Yes (inline share key including its organization prefix)', async () => {
    const key = service.demo.share_key
    expect((await stream(trackId, key)).status).toBe(302)
    const withoutPrefix = key.slice(key.indexOf('_') + 1)
    for (const wrong of [withoutPrefix, key.slice(33), 'x', key.slice(0, -1), `${key}0`, key.toUpperCase()]) {
      expectNoStream(await stream(trackId, wrong))
    }
  })

  test("4 Each request signs a fresh URL for the key's variant", async () => {
    service.clock.now = new Date(Date.now() + 1000)
    const first = location(await stream(trackId, service.demo.share_key))
    service.clock.now = new Date(service.clock.now.getTime() + 1000)
    const second = location(await stream(trackId, service.demo.share_key))
    service.clock.now = null
    expect(second.pathname).toBe(first.pathname)
    expect(second.search).not.toBe(first.search)
  })

  test('8 Signed CDN URL validity | Stream redirect | One hour', async () => {
    const now = new Date()
    service.clock.now = now
    const { pathname, search } = location(await stream(trackId, service.demo.share_key))
    const statusAfter = async (seconds: number) => {
      service.clock.now = new Date(now.getTime() + seconds * 1000)
      return (await service.fetchEdge(pathname + search)).status
    }
    const statuses = [await statusAfter(0), await statusAfter(3599), await statusAfter(3602)]
    service.clock.now = null
    expect(statuses).toEqual([200, 200, 410])
  })

  test('5.3 The stream endpoint takes no Authorization header', async () => {
    const authorization = 'Bearer nonsense'
    expect((await stream(trackId, service.demo.share_key, { authorization })).status).toBe(302)
  })
})

describe('5.4 and 5.5 Inline share key', () => {
  test('5.4 exactly one variant, which is always enforced', async () => {
    const { db } = service.services
    const played: string[] = []
    for (const index of ['hq', 'lq', 'preview']) {
      const variant = await db.variant.findFirstOrThrow({ where: { index } })
      const { pathname, search } = location(await stream(trackId, await shareKey({ variantId: variant.id })))
      played.push((await measure(await (await service.fetchEdge(pathname + search)).arrayBuffer())).codec)
    }
    expect(played).toEqual(['aac', 'opus', 'mp3'])
    const query = '?variant=original&variant_id=x'
    expect(location(await stream(trackId, `${service.demo.share_key}${query}`)).pathname).toEndWith('_hq.m4a')
  })

  test('5.4 It stays valid until it expires', async () => {
    const expiresAt = new Date(Date.now() + 60_000)
    const key = await shareKey({ expiresAt })
    service.clock.now = new Date(expiresAt.getTime() - 1)
    const before = await stream(trackId, key)
    service.clock.now = expiresAt
    const after = await stream(trackId, key)
    service.clock.now = null
    expect(before.status).toBe(302)
    expectNoStream(after)
  })

  test('5.4 or is deleted', async () => {
    expectNoStream(await stream(trackId, await shareKey({ revokedAt: new Date() })))
    const { api_key, api_key_id } = ok(
      await service.v1('POST', '/api_key', { body: { title: 'T', api_key_type_id: 'share', variants: ['hq'] } }),
    )
    expect((await stream(trackId, api_key)).status).toBe(302)
    await service.services.db.apiKey.delete({ where: { id: api_key_id } })
    expectNoStream(await stream(trackId, api_key))
  })

  test('5.5 organization-wide (default, any track of the organization)', async () => {
    expect((await stream(trackId, await shareKey())).status).toBe(302)
    const foreign = await createForeign(service)
    expectNoStream(await stream(foreign.trackId, service.demo.share_key))
    const theirs = await makeKey(service, 'share', { variantId: foreign.variantId }, foreign.organizationId)
    expectNoStream(await stream(trackId, theirs))
  })

  test('5.5 collection (only tracks in that collection)', async () => {
    const other = await createCollection(service)
    expect((await stream(trackId, await shareKey({ collectionId: service.demo.collection_id }))).status).toBe(302)
    expectNoStream(await stream(trackId, await shareKey({ collectionId: other.id })))
  })

  test('5.5 track (only that track, when the collection is also set)', async () => {
    const collectionId = service.demo.collection_id
    const other = await createTrack(service)
    expect((await stream(trackId, await shareKey({ collectionId, trackId }))).status).toBe(302)
    expectNoStream(await stream(trackId, await shareKey({ collectionId, trackId: other.id })))
  })
})

describe("7 404 | Stream request for a track outside the inline share key's scope | Not a JSON body per the redirect contract; body not shown", () => {
  type Link = readonly [track: string, key: string]
  const failures: [name: string, link: () => Promise<Link> | Link][] = [
    [
      'a track outside its scope',
      async () => [trackId, await shareKey({ collectionId: (await createCollection(service)).id })],
    ],
    ['an unknown track', () => [UNKNOWN_ID, service.demo.share_key]],
    ['a track id that is no UUID', () => ['track', service.demo.share_key]],
    ['a track id that cannot be decoded', () => ['%E0%A4%A', service.demo.share_key]],
    ['a key that cannot be decoded', () => [trackId, '%E0%A4%A']],
    ['a malformed key', () => [trackId, 'key']],
    ['an expired key', async () => [trackId, await shareKey({ expiresAt: new Date(0) })]],
    ['a deleted key', async () => [trackId, await shareKey({ revokedAt: new Date() })]],
    ['an api key', () => [trackId, service.demo.api_key]],
    ['an uploader key', async () => [trackId, await makeKey(service, 'uploader')]],
    ['a player key', async () => [trackId, await makeKey(service, 'player')]],
    ['a track that has no file yet', async () => [(await createTrack(service)).id, service.demo.share_key]],
    [
      'a file that has failed',
      async () => {
        const { db } = service.services
        const { id } = await createTrack(service)
        const failed = { state: 'failed', statusCode: 'x', statusText: 'X', props: {} } as const
        const organizationId = service.demo.organization_id
        await db.trackFile.create({ data: { ...failed, organizationId, trackId: id, variantId: hq } })
        return [id, service.demo.share_key]
      },
    ],
  ]
  test.each(failures)('%s: answers the same body', async (_, link) => {
    const before = await plays()
    const [track, key] = await link()
    expectNoStream(await stream(track, key))
    expect(await plays()).toBe(before)
  })

  test('a deleted track, a track of a deleted collection and a deleted variant', async () => {
    const [gone, orphan, survivor] = [await playable(), await playable(), await playable()]
    const playing = [gone, orphan, survivor].map(async ({ id }) => (await stream(id, service.demo.share_key)).status)
    expect(await Promise.all(playing)).toEqual([302, 302, 302])
    ok(await service.v1('DELETE', `/track/${gone.id}`))
    ok(await service.v1('DELETE', `/collection/${orphan.collection_id}`))
    expectNoStream(await stream(gone.id, service.demo.share_key))
    expectNoStream(await stream(orphan.id, service.demo.share_key))
    const setDeleted = (deletedAt: Date | null) =>
      service.services.db.variant.updateMany({ where: { id: hq }, data: { deletedAt } })
    await setDeleted(new Date())
    const answer = await stream(survivor.id, service.demo.share_key)
    await setDeleted(null)
    expectNoStream(answer)
  })
})

describe('8 Usage | Stream | Every stream request counts toward play usage and billing', () => {
  test('5.7 Share links are public: each request counts; only a 302 is a play request', async () => {
    const before = await plays()
    for (let at = 0; at < 3; at++) expect((await stream(trackId, service.demo.share_key)).status).toBe(302)
    expect(await plays()).toBe(before + 3)
    const event = await service.services.db.playEvent.findFirstOrThrow({ orderBy: { createdAt: 'desc' } })
    const { organization_id: organizationId, collection_id: collectionId } = service.demo
    expect(event).toMatchObject({ organizationId, collectionId, trackId, variantId: hq, creatorId: null })
  })

  test('counts each of many concurrent requests once', async () => {
    const before = await plays()
    const bad = service.v1.bind(null, 'GET', `/stream/${UNKNOWN_ID}/${service.demo.share_key}`, { key: null })
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => (at % 4 === 3 ? bad() : stream(trackId, service.demo.share_key))),
    )
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(150)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(50)
    expect(await plays()).toBe(before + 150)
  })

  test('does not count requests to the signed URL', async () => {
    const { pathname, search } = location(await stream(trackId, service.demo.share_key))
    const before = await plays()
    expect((await service.fetchEdge(pathname + search)).status).toBe(200)
    expect(await plays()).toBe(before)
  })
})
