import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseRange } from '../../../src/roles/edge/range.ts'
import { tone } from '../../support/audio.ts'
import { describe as folderDescribe } from '../../support/folder-only.ts'
import { startTestService, type TestService, uploadTrack } from '../../support/service.ts'
import { exchange, listen, target } from '../../support/wire.ts'

describe('reading a Range header (RFC 9110, section 14.1.2)', () => {
  const cases: [header: string | null, expected: ReturnType<typeof parseRange>][] = [
    [null, null],
    ['', null],
    ['bytes=0-1', { start: 0, end: 2 }],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-', { start: 0, end: 100 }],
    ['bytes=99-', { start: 99, end: 100 }],
    ['bytes=50-99', { start: 50, end: 100 }],
    ['bytes=50-1000', { start: 50, end: 100 }],
    ['bytes=50-99999999999999999999', { start: 50, end: 100 }],
    ['bytes=-1', { start: 99, end: 100 }],
    ['bytes=-100', { start: 0, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    ['BYTES=0-1', { start: 0, end: 2 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=0-1,5-6', null],
    ['bytes=0-1, 5-6', null],
    ['bytes=5-4', null],
    ['bytes=-', null],
    ['bytes=a-b', null],
    ['bytes=1', null],
    ['bytes 0-1', null],
    ['items=0-1', null],
    ['bytes=--1', null],
    ['bytes=0x0-0x1', null],
    ['bytes=1.5-2', null],
  ]
  test.each(cases)('%p of 100 bytes', (header, expected) => {
    expect(parseRange(header, 100)).toEqual(expected)
  })
})

// With a bucket the edge listens with another server: deliver-bucket.test.ts.
folderDescribe('over the wire', () => {
  let service: TestService
  let server: ReturnType<typeof listen>
  let url: string
  let whole: Buffer

  beforeAll(async () => {
    service = await startTestService()
    const trackId = await uploadTrack(service, await tone(2))
    await service.runJobs()
    server = listen(service)
    const link = await service.v1('GET', `/stream/${trackId}/${service.demo.share_key}`, { key: null })
    url = link.headers.get('location') ?? ''
    whole = Buffer.from(await (await fetch(server.at(url))).arrayBuffer())
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    await service.stop()
  })

  const ask = (range: string | null, method = 'GET', more = '') =>
    exchange(
      server.port,
      `${method} ${target(url)} HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n${range ? `Range: ${range}\r\n` : ''}${more}\r\n`,
    )

  test('the whole: 200 with its exact length', async () => {
    const { status, headers, body } = await ask(null)
    expect(status).toBe(200)
    expect(whole.length).toBeGreaterThan(1000)
    expect(headers.get('content-length')).toBe(String(whole.length))
    expect(headers.get('accept-ranges')).toBe('bytes')
    expect(headers.get('content-range')).toBeNull()
    expect(headers.get('transfer-encoding')).toBeNull()
    expect(body.equals(whole)).toBe(true)
  })

  test('bytes=0-1 is 206 with two bytes: Safari probes with it', async () => {
    const { status, headers, body } = await ask('bytes=0-1')
    expect(status).toBe(206)
    expect(headers.get('content-range')).toBe(`bytes 0-1/${whole.length}`)
    expect(headers.get('content-length')).toBe('2')
    expect(headers.get('content-type')).toBe('audio/mp4')
    expect(body.equals(whole.subarray(0, 2))).toBe(true)
  })

  test('open-ended, suffix, last byte, beyond the end', async () => {
    const size = whole.length
    for (const [range, start, end] of [
      ['bytes=0-', 0, size],
      ['bytes=1000-', 1000, size],
      ['bytes=-500', size - 500, size],
      [`bytes=-${size + 5}`, 0, size],
      [`bytes=${size - 1}-`, size - 1, size],
      [`bytes=10-${size + 1000}`, 10, size],
      ['bytes=100-199', 100, 200],
    ] as const) {
      const { status, headers, body } = await ask(range)
      expect(status, range).toBe(206)
      expect(headers.get('content-range'), range).toBe(`bytes ${start}-${end - 1}/${size}`)
      expect(headers.get('content-length'), range).toBe(String(end - start))
      expect(body.equals(whole.subarray(start, end)), range).toBe(true)
    }
  })

  test('adjacent ranges add up to the whole', async () => {
    const parts = await Promise.all(['bytes=0-999', 'bytes=1000-1999', 'bytes=2000-'].map((range) => ask(range)))
    expect(Buffer.concat(parts.map(({ body }) => body)).equals(whole)).toBe(true)
  })

  test('unsatisfiable: 416 with the size, no body', async () => {
    for (const range of [`bytes=${whole.length}-`, 'bytes=99999999-', 'bytes=-0']) {
      const { status, headers, body } = await ask(range)
      expect(status, range).toBe(416)
      expect(headers.get('content-range'), range).toBe(`bytes */${whole.length}`)
      expect(body, range).toHaveLength(0)
    }
  })

  test.each(['bytes=0-1,4-5', 'bytes=0-0,-1', 'items=0-1', 'bytes=9-3', 'bytes=x'])(
    'several ranges, other units and malformed ones: 200 with the whole: %s',
    async (range) => {
      const { status, headers, body } = await ask(range)
      expect([range, status]).toEqual([range, 200])
      expect(headers.get('content-range')).toBeNull()
      expect(body).toHaveLength(whole.length)
    },
  )

  test('HEAD: the headers of GET, no body', async () => {
    const [head, get] = [await ask(null, 'HEAD'), await ask(null)]
    expect(head.status).toBe(200)
    expect(head.body).toHaveLength(0)
    for (const name of ['content-length', 'content-type', 'etag', 'accept-ranges', 'last-modified', 'cache-control']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
    }
  })

  test.each(['bytes=0-1', 'bytes=99999999-'])('HEAD ignores Range: %s', async (range) => {
    const { status, headers, body } = await ask(range, 'HEAD')
    expect([status, headers.get('content-length'), body.length]).toEqual([200, String(whole.length), 0])
    expect(headers.get('content-range')).toBeNull()
  })

  const spellings: [what: string, of: (path: string) => string][] = [
    ['a dot segment', (path) => `/.${path}`],
    ['a segment and its parent', (path) => `/x/..${path}`],
    ['a percent-encoded dot', (path) => `/%2e${path}`],
    ['a percent-encoded parent', (path) => `/x/%2e%2e${path}`],
    ['a dot segment inside', (path) => path.replace(/\/(?=[^/]+$)/, '/./')],
    ['many segments', (path) => `/a/b/c/../../..${path}`],
    ['a percent-encoded letter', (path) => path.replace('_hq', '_%68q')],
    ['a double slash', (path) => `/${path}`],
  ]
  test.each(spellings)('rejects another spelling of a signed path: %s', async (_, of) => {
    const [path = '', query] = target(url).split('?')
    const spelled = `${of(path)}?${query}`
    const request = `GET ${spelled} HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n\r\n`
    expect((await exchange(server.port, request)).status).toBe(403)
  })

  test('If-Range: the part when it fits, else the whole', async () => {
    const { headers } = await ask(null)
    const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? '']
    const status = async (value: string) => (await ask('bytes=0-9', 'GET', `If-Range: ${value}\r\n`)).status
    expect(await status(etag)).toBe(206)
    expect(await status(modified)).toBe(206)
    expect(await status('"another"')).toBe(200)
    expect(await status(`W/${etag}`)).toBe(200)
    expect(await status('Mon, 01 Jan 2001 00:00:00 GMT')).toBe(200)
    expect(await status('nonsense')).toBe(200)
  })

  test('If-Range that does not fit beats a range beyond the end', async () => {
    expect((await ask('bytes=99999999-', 'GET', 'If-Range: "another"\r\n')).status).toBe(200)
  })

  test('a condition that makes it 304 comes before the range', async () => {
    const etag = (await ask(null)).headers.get('etag') ?? ''
    const { status, body } = await ask('bytes=0-1', 'GET', `If-None-Match: ${etag}\r\n`)
    expect([status, body.length]).toEqual([304, 0])
  })
})
