import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { makeMedia, tone } from '../../support/audio.ts'
import { type Json, startTestService, type TestService, uploadTrack } from '../../support/service.ts'

let service: TestService
let trackId: string
let secret: string
let files: Json[]
/** The whole second in which the tests take place. */
let now: number

beforeAll(async () => {
  service = await startTestService()
  trackId = await uploadTrack(service, await tone(2))
  await service.runJobs()
  files = (await service.v1('GET', `/track/${trackId}`)).json.files
  const { signingSecrets } = await service.services.db.organization.findFirstOrThrow()
  secret = signingSecrets[0] ?? ''
}, 60_000)
afterAll(() => service.stop())

beforeEach(() => {
  now = Math.floor(Date.now() / 1000) + 10
  service.clock.now = new Date(now * 1000)
})
afterEach(() => {
  service.clock.now = null
})

const pathOf = (index: string) => `/${files.find((file) => file.variant.index === index).path}`
/** A signature made here, from the contract. */
const sign = (path: string, issued = now, by = secret) =>
  `${path}?verify=${issued}-${createHmac('sha256', by).update(`${path}${issued}`).digest('base64url')}`
const get = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.fetchEdge(address, { headers, method })
const status = async (address: string) => (await get(address)).status

describe('a file by its signed address (contract, section 6)', () => {
  test('with every header', async () => {
    const answer = await get(sign(pathOf('hq'), now - 600))
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'audio/mp4',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=3000, no-transform',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
    })
    const exposed = answer.headers.get('access-control-expose-headers') ?? ''
    for (const name of ['Content-Range', 'Accept-Ranges', 'Content-Length', 'ETag']) expect(exposed).toContain(name)
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('last-modified')).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/)
  })

  test('max-age is what is left of the hour, never more than an hour', async () => {
    for (const [issued, left] of [
      [now, 3600],
      [now - 1, 3599],
      [now - 3599, 1],
      [now - 3600, 0],
      [now + 20, 3600],
    ] as const) {
      const answer = await get(sign(pathOf('hq'), issued))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe(`private, max-age=${left}, no-transform`)
    }
  })

  test.each([
    ['hq', 'audio/mp4'],
    ['lq', 'audio/ogg'],
    ['preview', 'audio/mpeg'],
    ['waveform', 'application/json'],
    ['original', 'audio/wav'],
  ])('%s is %s, with the bytes that the record tells of', async (index, type) => {
    const answer = await get(sign(pathOf(index)))
    expect(answer.headers.get('content-type')).toBe(type)
    expect((await answer.arrayBuffer()).byteLength).toBe(files.find((file) => file.variant.index === index).size)
  })

  test('the address in the track record works as it is', async () => {
    const { json } = await service.v1('GET', `/track/${trackId}`)
    for (const { url } of json.files) expect(await status(url)).toBe(200)
  })

  test('If-None-Match', async () => {
    const address = sign(pathOf('hq'))
    const etag = (await get(address)).headers.get('etag') ?? ''
    const code = async (value: string, more = {}) => (await get(address, { 'if-none-match': value, ...more })).status
    expect(await code(etag)).toBe(304)
    expect(await code(`W/${etag}`)).toBe(304)
    expect(await code(`"x", ${etag}`)).toBe(304)
    expect(await code('*')).toBe(304)
    expect(await code('"x"')).toBe(200)
    // If-Modified-Since counts only without If-None-Match (RFC 9110, section 13.1.3).
    expect(await code('"x"', { 'if-modified-since': new Date(now * 1000).toUTCString() })).toBe(200)
    const unchanged = await get(address, { 'if-none-match': etag })
    expect(unchanged.headers.get('etag')).toBe(etag)
    expect(unchanged.headers.get('cache-control')).toStartWith('private, max-age=')
    expect(await unchanged.text()).toBe('')
  })

  test('If-Modified-Since', async () => {
    const address = sign(pathOf('hq'))
    const modified = (await get(address)).headers.get('last-modified') ?? ''
    const code = async (value: string) => (await get(address, { 'if-modified-since': value })).status
    expect(await code(modified)).toBe(304)
    expect(await code(new Date(Date.parse(modified) + 1000).toUTCString())).toBe(304)
    expect(await code(new Date(Date.parse(modified) - 1000).toUTCString())).toBe(200)
    expect(await code('yesterday')).toBe(200)
  })
})

describe('addresses that do not open', () => {
  const refused: [what: string, address: () => string, status: number][] = [
    ['no signature', () => pathOf('hq'), 403],
    ['an empty one', () => `${pathOf('hq')}?verify=`, 403],
    ['one by another secret', () => sign(pathOf('hq'), now, 'guess'), 403],
    ['one for another file', () => sign(pathOf('hq')).replace('_hq.m4a', '_lq.opus'), 403],
    ['a stamp moved forward', () => sign(pathOf('hq'), now - 9000).replace(`${now - 9000}`, `${now}`), 403],
    ['a stamp 31 s ahead', () => sign(pathOf('hq'), now + 31), 403],
    ['an old one by another secret', () => sign(pathOf('hq'), now - 9000, 'guess'), 403],
    ['a file that never was', () => sign('/nothing/here_hq.m4a'), 403],
    ['the root', () => '/', 403],
    ['a source, never delivered', () => sign(`/source/${service.demo.organization_id}/${trackId}`), 403],
    ['a way out of the folder', () => sign('/../../etc/passwd'), 403],
    ['an encoded way out', () => sign('/..%2f..%2fetc%2fpasswd'), 403],
    ['what only looks like a cover of a collection', () => `/${'-'.repeat(36)}/${'-'.repeat(36)}/cover.jpg`, 403],
    ['a byte that Postgres cannot store', () => '/a%00b.jpg', 403],
    ['one older than an hour', () => sign(pathOf('hq'), now - 3601), 410],
    ['one from last year', () => sign(pathOf('hq'), now - 31_536_000), 410],
  ]
  test.each(refused)('%s', async (_, address, expected) => {
    const answer = await get(address())
    expect(answer.status).toBe(expected)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).not.toMatch(/select|postgres|secret/i)
  })

  test('the edges of the hour and of the skew', async () => {
    expect(await status(sign(pathOf('hq'), now - 3600))).toBe(200)
    expect(await status(sign(pathOf('hq'), now + 30))).toBe(200)
  })

  test('a refusal does not tell whether the file is there', async () => {
    const body = async (address: string) => {
      const { api_request_id: _, ...rest } = (await (await get(address)).json()) as Json
      return rest
    }
    expect(await body(sign('/nothing_hq.m4a'))).toEqual(await body(sign(pathOf('hq'), now, 'guess')))
  })

  test('only GET and HEAD', async () => {
    const answer = await get(sign(pathOf('hq')), {}, 'DELETE')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('what is to be saved is, under its name, where the address was signed with that', async () => {
    const asked = `${pathOf('hq')}?download=1`
    const answer = await get(sign(asked).replace(/\?(?=verify)/, '&'))
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="song.m4a"'])
    for (const ordinary of [sign(pathOf('hq')), `${sign(pathOf('hq'))}&download=1`]) {
      expect((await get(ordinary)).headers.has('content-disposition')).toBe(false)
    }
    for (const forged of [
      sign(pathOf('hq')).replace('?', '?download=1&'),
      sign(asked).replace('?download=1?', '?'),
      sign(asked).replace('?download=1?', '?download=2&'),
    ]) {
      expect(await status(forged)).toBe(403)
    }
  })

  test('preflight allows ranges', async () => {
    const answer = await get(pathOf('hq'), { origin: 'https://player.test' }, 'OPTIONS')
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-headers')).toContain('Range')
    expect(answer.headers.get('access-control-allow-methods')).toContain('GET')
  })
})

test('rotation: the new secret signs, the old one still opens, and no longer when it is gone', async () => {
  const { db } = service.services
  const change = (signingSecrets: string[]) => db.organization.updateMany({ data: { signingSecrets } })
  const [old, fresh] = [sign(pathOf('hq')), sign(pathOf('hq'), now, 'a-fresh-secret')]
  try {
    await change(['a-fresh-secret', secret])
    expect([await status(old), await status(fresh)]).toEqual([200, 200])
    const { json } = await service.v1('GET', `/track/${trackId}`)
    expect(json.files.find((file: Json) => file.variant.index === 'hq').url).toEndWith(fresh)
    await change(['a-fresh-secret'])
    expect([await status(old), await status(fresh)]).toEqual([403, 200])
  } finally {
    await change([secret])
  }
})

test('a deleted track is no longer delivered, nor one of a deleted collection', async () => {
  const sound = await tone(1.2)
  const { json } = await service.v1('POST', '/collection', { body: { title: 'Short-lived' } })
  const collectionId = json.collection_id
  const inside = await service.v1('POST', '/track', { body: { collection_id: collectionId, file_name: 'a.wav' } })
  await service.fetchEdge(inside.json.track_upload.upload_url, { method: 'PUT', body: sound })
  const alone = await uploadTrack(service, sound)
  await service.runJobs()
  const addresses = async (id: string) =>
    (await service.v1('GET', `/track/${id}`)).json.files.map(({ url }: Json) => url) as string[]
  const [first, second] = [await addresses(alone), await addresses(inside.json.track_id)]
  expect(first.length).toBeGreaterThanOrEqual(5)
  for (const url of [...first, ...second]) expect(await status(url)).toBe(200)
  await service.v1('DELETE', `/track/${alone}`)
  await service.v1('DELETE', `/collection/${collectionId}`)
  for (const url of [...first, ...second]) expect(await status(url)).toBe(403)
})

test('every size of a cover, of a track and of a collection', async () => {
  const image = await makeMedia(['-f', 'lavfi', '-i', 'color=c=red:s=64x64', '-frames:v', '1'], 'png')
  const { json } = await service.v1('POST', `/collection/${service.demo.collection_id}/cover`)
  await service.fetchEdge(json.collection_cover_upload.upload_url, { method: 'POST', body: image })
  await service.runJobs()
  const base = `/${service.demo.organization_id}/${service.demo.collection_id}/cover`
  for (const size of ['.icon', '.small', '.regular', '']) {
    const answer = await get(sign(`${base}${size}.jpg`))
    expect([size, answer.status, answer.headers.get('content-type')]).toEqual([size, 200, 'image/jpeg'])
    expect([...new Uint8Array(await answer.arrayBuffer()).subarray(0, 2)]).toEqual([0xff, 0xd8])
  }
  expect(await status(sign(`${base}.huge.jpg`))).toBe(403)
})
