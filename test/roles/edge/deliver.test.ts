import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { endOfDeliveries } from '../../../src/domain/delivery/known-files.ts'
import { sealSecret } from '../../../src/domain/delivery/secret.ts'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { makeMedia, tone } from '../../support/audio.ts'
import { test as folderTest } from '../../support/folder-only.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { deliverySecrets } from '../../support/signing-secret.ts'
import { watchStatements } from '../../support/statements.ts'

const service = useTestService()
let trackId: string
let secret: string
let files: Json[]
/** The second in which the tests run. */
let now: number

beforeAll(async () => {
  trackId = await uploadTrack(service, await tone(2))
  await service.runJobs()
  files = (await service.v1('GET', `/track/${trackId}`)).json.files
  ;[secret = ''] = await deliverySecrets(service)
}, 60_000)

beforeEach(() => {
  now = Math.floor(Date.now() / 1000) + 10
  service.clock.now = new Date(now * 1000)
})
afterEach(() => {
  service.clock.now = null
})

const findPath = (index: string) => `/${files.find((file) => file.variant.index === index).path}`
/** A signature made here, from the contract. */
const sign = (path: string, issued = now, by = secret) =>
  `${path}?verify=${issued}-${createHmac('sha256', by).update(`${path}${issued}`).digest('base64url')}`
const get = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.fetchEdge(address, { headers, method })
const status = async (address: string) => (await get(address)).status

describe('a file by its signed address (contract, section 6)', () => {
  test('with every header', async () => {
    const answer = await get(sign(findPath('hq'), now - 600))
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'audio/mp4',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      // Bun would send its own in several packets (decision 0015).
      date: expect.stringMatching(/ GMT$/),
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

  test.each([
    [0, 3600],
    [-1, 3599],
    [-3599, 1],
    [-3600, 0],
    [20, 3600],
  ])('max-age is the remaining time of the hour: signed at %d s, %d s are left', async (issued, secondsLeft) => {
    const answer = await get(sign(findPath('hq'), now + issued))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe(`private, max-age=${secondsLeft}, no-transform`)
  })

  test.each([
    ['hq', 'audio/mp4'],
    ['lq', 'audio/ogg'],
    ['preview', 'audio/mpeg'],
    ['waveform', 'application/json'],
    ['original', 'audio/wav'],
  ])('%s is %s, with the bytes of the record', async (index, type) => {
    const answer = await get(sign(findPath(index)))
    expect(answer.headers.get('content-type')).toBe(type)
    expect((await answer.arrayBuffer()).byteLength).toBe(files.find((file) => file.variant.index === index).size)
  })

  test('the address in the track record works unchanged', async () => {
    const { json } = await service.v1('GET', `/track/${trackId}`)
    expect(json.files).not.toBeEmpty()
    const ofEach = async ({ url, variant }: Json) => [variant.index, await status(url)]
    const statuses = await Promise.all(json.files.map(ofEach))
    expect(statuses).toEqual(json.files.map(({ variant }: Json) => [variant.index, 200]))
  })

  test('has a policy that lets a browser play it', async () => {
    const policy = "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'"
    expect((await get(sign(findPath('hq')))).headers.get('content-security-policy')).toBe(policy)
  })

  const names: [index: string, name: string][] = [
    ['hq', 'song.m4a'],
    ['waveform', 'song.json'],
    ['original', 'song.wav'],
  ]
  test.each(names)('%s is shown inline under the name %s, whole and in part', async (index, name) => {
    const expected = `inline; filename="${name}"`
    const whole = await get(sign(findPath(index)))
    expect([whole.status, whole.headers.get('content-disposition')]).toEqual([200, expected])
    const part = await get(sign(findPath(index)), { range: 'bytes=0-1' })
    expect([part.status, part.headers.get('content-disposition')]).toEqual([206, expected])
    const head = await get(sign(findPath(index)), {}, 'HEAD')
    expect([head.status, head.headers.get('content-disposition')]).toEqual([200, expected])
  })

  test('a sibling file has the name of its file', async () => {
    const path = findPath('waveform').replace(/json$/, 'dat')
    const answer = await get(sign(path))
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'inline; filename="song.dat"'])
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  })

  describe('preconditions (RFC 9110, section 13.2.2)', () => {
    let etag: string
    let modified: string
    beforeAll(async () => {
      const { headers } = await service.fetchEdge(files[0].url)
      etag = headers.get('etag') ?? ''
      modified = headers.get('last-modified') ?? ''
      expect(etag).toHaveLength(66)
    })
    const at = (seconds: number) => new Date(Date.parse(modified) + seconds * 1000).toUTCString()
    const rows: [what: string, headers: () => Record<string, string>, status: number][] = [
      ['If-Match with the tag', () => ({ 'if-match': etag }), 200],
      ['If-Match with the tag among others', () => ({ 'if-match': `"x", ${etag}` }), 200],
      ['If-Match: *', () => ({ 'if-match': '*' }), 200],
      ['If-Match with another tag', () => ({ 'if-match': '"x"' }), 412],
      ['If-Match with the weak tag', () => ({ 'if-match': `W/${etag}` }), 412],
      ['If-Match with another tag and a range', () => ({ 'if-match': '"x"', range: 'bytes=0-1' }), 412],
      ['If-Match with the tag and a range', () => ({ 'if-match': etag, range: 'bytes=0-1' }), 206],
      ['If-Unmodified-Since the change', () => ({ 'if-unmodified-since': modified }), 200],
      ['If-Unmodified-Since before the change', () => ({ 'if-unmodified-since': at(-1) }), 412],
      ['If-Unmodified-Since with no date', () => ({ 'if-unmodified-since': 'yesterday' }), 200],
      ['If-Match goes before the date', () => ({ 'if-match': etag, 'if-unmodified-since': at(-1) }), 200],
      ['If-Match goes before If-None-Match', () => ({ 'if-match': '"x"', 'if-none-match': etag }), 412],
      ['If-None-Match after If-Match', () => ({ 'if-match': etag, 'if-none-match': etag }), 304],
    ]
    test.each(rows)('%s', async (_, headers, expected) => {
      for (const method of ['GET', 'HEAD']) {
        const expectedStatus = method === 'HEAD' && expected === 206 ? 200 : expected
        const answer = await service.fetchEdge(sign(`/${files[0].path}`), { method, headers: headers() })
        expect([method, answer.status]).toEqual([method, expectedStatus])
        if (expected === 412) expect(await answer.text(), method).toBe('')
      }
    })
  })

  test('If-None-Match', async () => {
    const address = sign(findPath('hq'))
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
    const address = sign(findPath('hq'))
    const modified = (await get(address)).headers.get('last-modified') ?? ''
    const code = async (value: string) => (await get(address, { 'if-modified-since': value })).status
    expect(await code(modified)).toBe(304)
    expect(await code(new Date(Date.parse(modified) + 1000).toUTCString())).toBe(304)
    expect(await code(new Date(Date.parse(modified) - 1000).toUTCString())).toBe(200)
    expect(await code('yesterday')).toBe(200)
  })
})

describe('rejected addresses', () => {
  const refused: [what: string, address: () => string, status: number][] = [
    ['no signature', () => findPath('hq'), 403],
    ['an empty one', () => `${findPath('hq')}?verify=`, 403],
    ['one by another secret', () => sign(findPath('hq'), now, 'guess'), 403],
    ['one for another file', () => sign(findPath('hq')).replace('_hq.m4a', '_lq.opus'), 403],
    ['a stamp moved forward', () => sign(findPath('hq'), now - 9000).replace(`${now - 9000}`, `${now}`), 403],
    ['a stamp 31 s ahead', () => sign(findPath('hq'), now + 31), 403],
    // Age is checked before the database is asked for the secret.
    ['an old one by another secret', () => sign(findPath('hq'), now - 9000, 'guess'), 410],
    ['verify twice', () => `${sign(findPath('hq'))}&${sign('').slice(1)}`, 403],
    ['a good verify in front of a bad one', () => `${sign(findPath('hq'))}&verify=bad`, 403],
    ['a good verify behind a bad one', () => sign(findPath('hq')).replace('?', '?verify=bad&'), 403],
    ['another parameter in front', () => sign(findPath('hq')).replace('?', '?x=1&'), 403],
    ['another parameter behind', () => `${sign(findPath('hq'))}&x=1`, 403],
    ['a percent-encoded name of the parameter', () => sign(findPath('hq')).replace('verify', 'verif%79'), 403],
    ['a file that never was', () => sign('/nothing/here_hq.m4a'), 403],
    ['the root', () => '/', 403],
    ['a source, never delivered', () => sign(`/source/${service.demo.organization_id}/${trackId}`), 403],
    ['a way out of the folder', () => sign('/../../etc/passwd'), 403],
    ['an encoded way out', () => sign('/..%2f..%2fetc%2fpasswd'), 403],
    ['what only looks like a cover of a collection', () => `/${'-'.repeat(36)}/${'-'.repeat(36)}/cover.jpg`, 403],
    ['a byte that Postgres cannot store', () => '/a%00b.jpg', 403],
    ['one older than an hour', () => sign(findPath('hq'), now - 3601), 410],
    ['one from last year', () => sign(findPath('hq'), now - 31_536_000), 410],
  ]
  test.each(refused)('%s', async (_, address, expected) => {
    const answer = await get(address())
    expect(answer.status).toBe(expected)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).not.toMatch(/select|postgres|secret/i)
  })

  test('the edges of the hour and of the skew', async () => {
    expect(await status(sign(findPath('hq'), now - 3600))).toBe(200)
    expect(await status(sign(findPath('hq'), now + 30))).toBe(200)
  })

  test('a rejection does not reveal whether the file exists', async () => {
    const body = async (address: string) => {
      const { api_request_id: _, ...rest } = (await (await get(address)).json()) as Json
      return rest
    }
    expect(await body(sign('/nothing_hq.m4a'))).toEqual(await body(sign(findPath('hq'), now, 'guess')))
  })

  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const pages: [what: string, address: () => string, status: number][] = [
    ['forged', () => sign(findPath('hq'), now, 'guess'), 403],
    ['unknown', () => sign('/nothing_hq.m4a'), 403],
    ['the root', () => '/', 403],
    ['expired', () => sign(findPath('hq'), now - 3601), 410],
    ['forged and old', () => sign(findPath('hq'), now - 3601, 'guess'), 410],
  ]
  test.each(pages)('a browser gets a page: %s', async (_, address, expected) => {
    const answer = await get(address(), browser)
    expect(answer.status).toBe(expected)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toStartWith("default-src 'none'")
    const body = await answer.text()
    const title = expected === 410 ? 'This link has expired' : 'This link does not work'
    expect(body).toContain(`<h1>${title}</h1>`)
    const again = await get(expected === 410 ? sign(findPath('lq'), now - 9000) : '/x', browser)
    expect(body).toBe(await again.text())
  })

  test.each(['*/*', 'application/json', 'application/json, text/html', 'audio/*;q=0.9, text/html;q=0.5', ''])(
    'a program gets JSON: Accept %p',
    async (accept) => {
      const answer = await get(sign(findPath('hq'), now, 'guess'), accept === '' ? {} : { accept })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'application/json'])
    },
  )

  const unread: [what: string, address: (path: string) => string, status: number][] = [
    ['no token', (path) => path, 403],
    ['a malformed token', (path) => `${path}?verify=1-x`, 403],
    ['a token of the future', (path) => sign(path, now + 31), 403],
    ['a token of next year', (path) => sign(path, now + 31_536_000), 403],
    ['a forged token of the future', (path) => sign(path, now + 31, 'guess'), 403],
    ['an expired token', (path) => sign(path, now - 3601), 410],
    ['a forged expired token', (path) => sign(path, now - 3601, 'guess'), 410],
  ]
  test.each(unread)('an address with %s is refused without a statement', async (_, address, expected) => {
    const edge = createEdge(service.services)
    const organization = service.demo.organization_id
    const paths = ['/nothing', findPath('hq'), findPath('waveform'), `/${organization}/cover.jpg`]
    const watched = watchStatements(service.services.pool)
    try {
      const pendingAnswers = paths.map((path) => edge(new Request(`http://edge.test${address(path)}`)))
      const answers = await Promise.all(pendingAnswers)
      expect(answers.map((answer) => answer.status)).toEqual(paths.map(() => expected))
      expect(watched.texts).toEqual([])
    } finally {
      watched.stop()
    }
  })

  test('only GET and HEAD', async () => {
    const answer = await get(sign(findPath('hq')), {}, 'DELETE')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('a download is an attachment with its name, if the address was signed for it', async () => {
    const downloadPath = `${findPath('hq')}?download=1`
    const answer = await get(sign(downloadPath).replace(/\?(?=verify)/, '&'))
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="song.m4a"'])
    for (const forged of [
      `${sign(findPath('hq'))}&download=1`,
      sign(findPath('hq')).replace('?', '?download=1&'),
      sign(downloadPath).replace('?download=1?', '?'),
      sign(downloadPath).replace('?download=1?', '?download=2&'),
    ]) {
      expect(await status(forged)).toBe(403)
    }
  })

  test('preflight allows every requested header', async () => {
    const headers = { origin: 'https://player.test', 'access-control-request-headers': 'range,traceparent,x-own' }
    const answer = await get(findPath('hq'), headers, 'OPTIONS')
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-headers')).toBe('range,traceparent,x-own')
    expect(answer.headers.get('access-control-allow-methods')).toContain('GET')
  })
})

test('requests at once share a statement, and each gets its own file or refusal', async () => {
  const sizes = (index: string) => files.find((file) => file.variant.index === index).size as number
  const requests: [address: string, expected: number[]][] = [
    [sign(findPath('hq')), [200, sizes('hq')]],
    [sign(findPath('lq')), [200, sizes('lq')]],
    [sign(findPath('hq'), now, 'guess'), [403]],
    [sign('/nothing'), [403]],
    [sign(findPath('waveform')), [200, sizes('waveform')]],
    [sign(findPath('hq')), [200, sizes('hq')]],
  ]
  const edge = createEdge(service.services)
  const watched = watchStatements(service.services.pool)
  try {
    const answers = await Promise.all(
      requests.map(async ([address]) => {
        const answer = await edge(new Request(`http://edge.test${address}`))
        const { byteLength } = await answer.arrayBuffer()
        return answer.ok ? [answer.status, byteLength] : [answer.status]
      }),
    )
    expect(answers).toEqual(requests.map(([, expected]) => expected))
    // The first request does not wait for others.
    expect(watched.texts.filter((text) => text.includes('FROM track_file'))).toHaveLength(2)
  } finally {
    watched.stop()
  }
})

describe('a known file', () => {
  let edge: (path: string, headers?: Record<string, string>) => Promise<Response>
  beforeEach(() => {
    const newEdge = createEdge(service.services)
    edge = async (path, headers = {}) => newEdge(new Request(`http://edge.test${path}`, { headers }))
  })

  folderTest('is delivered without waiting, also a range of it and by another address', async () => {
    const newEdge = createEdge(service.services)
    /** The first answer that the edge does not wait for: it waits while it asks for changes. */
    const atOnce = async (path: string) => {
      for (let tries = 0; tries < 100; tries++) {
        const answer = newEdge(new Request(`http://edge.test${path}`, { headers: { range: 'bytes=100-299' } }))
        if (!(answer instanceof Promise)) return answer
        await answer
      }
      throw new Error('the edge waits for each answer')
    }
    const whole = Buffer.from(await (await edge(sign(findPath('hq')))).arrayBuffer())
    for (const issued of [now, now - 5, now - 5]) {
      const answer = await atOnce(sign(findPath('hq'), issued))
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        206,
        `private, max-age=${Math.min(3600, 3600 + issued - now)}, no-transform`,
      ])
      expect(Buffer.from(await answer.arrayBuffer()).equals(whole.subarray(100, 300))).toBeTrue()
    }
  })

  test('is refused for what its address does not allow', async () => {
    const address = sign(findPath('hq'), now - 3590)
    expect((await edge(address)).status).toBe(200)
    expect((await edge(sign(findPath('hq'), now, 'guess'))).status).toBe(403)
    service.clock.now = new Date((now + 10) * 1000)
    expect((await edge(address)).status).toBe(200)
    service.clock.now = new Date((now + 11) * 1000)
    expect((await edge(address)).status).toBe(410)
  })

  test('is refused for a path that only resolves to its own', async () => {
    const newEdge = createEdge(service.services)
    const ask = async (sentPath: string) =>
      (await newEdge(new Request(`http://edge.test${sign(findPath('hq'))}`), undefined, sentPath)).status
    expect([await ask(findPath('hq')), await ask(`/x/..${findPath('hq')}`), await ask(findPath('hq'))]).toEqual([
      200, 403, 200,
    ])
  })

  const columns: [column: string, value: unknown, header: string, expected: string][] = [
    ['sha256', 'f'.repeat(64), 'etag', `"${'f'.repeat(64)}"`],
    ['content_type', 'audio/x-test', 'content-type', 'audio/x-test'],
    ['file_name', 'renamed.m4a', 'content-disposition', 'inline; filename="renamed.m4a"'],
    ['completed_at', '2026-01-01T00:00:00Z', 'last-modified', 'Thu, 01 Jan 2026 00:00:00 GMT'],
    ['size', 7, 'content-range', 'bytes 0-6/7'],
  ]
  test.each(columns)('has its new %s', async (column, value, header, expected) => {
    const path = findPath('hq')
    const set = async (to: unknown) => {
      const { rows } = await service.services.pool.query(
        `UPDATE track_file f SET ${column} = $2 FROM (SELECT id, ${column} AS old FROM track_file WHERE path = $1) o
         WHERE f.id = o.id RETURNING o.old`,
        [path.slice(1), to],
      )
      return rows[0].old
    }
    const headerNow = async () => (await edge(sign(path), { range: 'bytes=0-99' })).headers.get(header)
    expect(await headerNow()).not.toBe(expected)
    const before = await set(value)
    try {
      await endOfDeliveries()
      expect(await headerNow()).toBe(expected)
    } finally {
      await set(before)
      await endOfDeliveries()
    }
  })
})

test('rotation: the new secret signs, the old one is accepted until it is removed', async () => {
  const { db } = service.services
  const change = (secrets: string[]) => {
    const signingSecrets = secrets.map((text) => sealSecret(service.services, text))
    return db.organization.updateMany({ data: { signingSecrets } })
  }
  const [old, fresh] = [sign(findPath('hq')), sign(findPath('hq'), now, 'a-fresh-secret')]
  try {
    await change(['a-fresh-secret', secret])
    expect([await status(old), await status(fresh)]).toEqual([200, 200])
    const { json } = await service.v1('GET', `/track/${trackId}`)
    expect(json.files.find((file: Json) => file.variant.index === 'hq').url).toEndWith(fresh)
    await change(['a-fresh-secret'])
    await endOfDeliveries()
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
