import { afterAll, beforeAll, expect } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { describe, test } from '../../support/folder-only.ts'
import { recordedBytes, recordingsOf } from '../../support/recording.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { exchange, listen, open, target } from '../../support/wire.ts'

const LIMIT = 3_000_000
afterAll(() => server.stop())
const service = useTestService({ MAX_UPLOAD_BYTES: String(LIMIT) })
let server: ReturnType<typeof listen>
beforeAll(async () => {
  server = listen(service)
}, 60_000)

const createBytes = (length: number) => new Uint8Array(randomBytes(length))
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function newUpload(): Promise<{ trackId: string; url: string }> {
  const { json } = await service.v1('POST', '/track', {
    body: { collection_id: service.demo.collection_id, file_name: 'song.wav' },
  })
  return { trackId: json.track_id, url: json.track_upload.upload_url }
}

async function put(url: string, body: BodyInit | undefined, headers: Record<string, string> = {}) {
  const response = await fetch(server.at(url), { method: 'PUT', body, headers })
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json }
}

const track = (id: string) => service.services.db.track.findUniqueOrThrow({ where: { id } })
const stored = (id: string) => recordedBytes(service, id)
const incoming = () => service.objects.unfinished()
const countJobs = (trackId: string) => service.services.db.job.count({ where: { trackId } })

/** Nothing of a failed upload remains, and its address takes another. */
async function expectRetry({ trackId, url }: { trackId: string; url: string }) {
  await until('the incoming file to be removed', 20_000, async () => (await incoming()).length === 0)
  expect(await recordingsOf(service, trackId)).toEqual([])
  expect(await track(trackId)).toMatchObject({ status: 'initialized', uploadCompletedAt: null, sourceSha256: null })
  expect(await countJobs(trackId)).toBe(0)
  expect((await put(url, createBytes(1000))).status).toBe(200)
}

describe('one PUT (contract, section 5)', () => {
  test.each([
    ['Content-Range', 'bytes 0-999/2000', 400, 'invalid_input'],
    ['Content-Encoding', 'gzip', 415, 'unsupported_media_type'],
  ])('refuses bytes that are not the file, and takes it afterwards: %s: %s', async (name, value, status, code) => {
    const upload = await newUpload()
    const answer = await put(upload.url, createBytes(1000), { [name]: value })
    expect([answer.status, answer.json.code]).toEqual([status, code])
    expect(answer.json.message).toStartWith(`${name}: must`)
    await expectRetry(upload)
  })

  test('takes a body whose encoding is identity', async () => {
    const { url } = await newUpload()
    expect((await put(url, createBytes(1000), { 'content-encoding': 'identity' })).status).toBe(200)
  })

  test('returns the hash of the received bytes, and stores exactly these', async () => {
    const { trackId, url } = await newUpload()
    const bytes = createBytes(2_500_000)
    const { status, headers } = await put(url, bytes, { 'content-type': 'application/x-anything' })
    expect(status).toBe(200)
    expect(headers.get('x-checksum-sha256')).toBe(sha256(bytes))
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(Buffer.from(await stored(trackId)).equals(bytes)).toBe(true)
    expect(await track(trackId)).toMatchObject({ sourceSha256: sha256(bytes), sourceBytes: 2_500_000n })
    expect(await countJobs(trackId)).toBe(1)
    expect(await incoming()).toEqual([])
  })

  test('a second is 409 and changes nothing', async () => {
    const { trackId, url } = await newUpload()
    const bytes = createBytes(5000)
    expect((await put(url, bytes)).status).toBe(200)
    const second = await put(url, createBytes(6000))
    expect([second.status, second.json.code]).toEqual([409, 'upload_completed'])
    expect(sha256(await stored(trackId))).toBe(sha256(bytes))
    expect(await countJobs(trackId)).toBe(1)
  })

  test('of twenty concurrent uploads one wins, and its bytes are stored', async () => {
    const { trackId, url } = await newUpload()
    const bodies = Array.from({ length: 20 }, () => createBytes(200_000))
    const answers = await Promise.all(bodies.map((body) => put(url, body)))
    const won = answers.findIndex(({ status }) => status === 200)
    // Two at once are read; the others are asked to try again.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.every(({ status }) => [200, 409].includes(status))).toBe(true)
    const hash = sha256(bodies[won] ?? new Uint8Array())
    expect(sha256(await stored(trackId))).toBe(hash)
    expect((await track(trackId)).sourceSha256).toBe(hash)
    expect(await countJobs(trackId)).toBe(1)
    expect(await incoming()).toEqual([])
  })

  test('an empty body is 400 and may be retried', async () => {
    const upload = await newUpload()
    const empty = await put(upload.url, '')
    expect([empty.status, empty.json.code]).toEqual([400, 'invalid_input'])
    await expectRetry(upload)
  })
})

describe('rejected addresses of uploads', () => {
  test.each(['signature', 'expires', 'issued'])('a changed %s is 403', async (name) => {
    const { trackId, url } = await newUpload()
    const forged = new URL(url)
    forged.searchParams.set(
      name,
      forged.searchParams.get(name)?.replace(/.$/, (last) => (last === '1' ? '2' : '1')) ?? '',
    )
    const answer = await put(forged.toString(), createBytes(10))
    expect([answer.status, answer.json.code]).toEqual([403, 'forbidden'])
    expect((await track(trackId)).uploadActiveAt).toBeNull()
  })

  test('the address of another track, of a cover, of nothing', async () => {
    const [a, b] = [await newUpload(), await newUpload()]
    expect((await put(a.url.replace(a.trackId, b.trackId), 'x')).status).toBe(403)
    const asCover = await fetch(server.at(a.url.replace('/track/', '/track-cover/')), { method: 'POST', body: 'x' })
    expect(asCover.status).toBe(403)
    expect((await put(`/upload/track/${a.trackId}`, 'x')).status).toBe(403)
  })

  test('after its hour 410, until then not', async () => {
    const { url } = await newUpload()
    const expires = Number(new URL(url).searchParams.get('expires'))
    try {
      service.clock.now = new Date(expires)
      const late = await put(url, createBytes(10))
      expect([late.status, late.json.code]).toEqual([410, 'expired'])
      service.clock.now = new Date(expires - 1)
      expect((await put(url, createBytes(10))).status).toBe(200)
    } finally {
      service.clock.now = null
    }
  })

  test('an upload that started in time may end later', async () => {
    const { trackId, url } = await newUpload()
    const socket = await open(server.port)
    const answer = Promise.withResolvers<string>()
    socket.on('data', (chunk) => answer.resolve(chunk.toString('latin1')))
    try {
      socket.write(`PUT ${target(url)} HTTP/1.1\r\nHost: edge.test\r\nContent-Length: 10\r\n\r\n12345`)
      await until('the upload to begin', 20_000, async () => (await track(trackId)).uploadActiveAt !== null)
      service.clock.now = new Date(Date.now() + 7_200_000)
      socket.write('67890')
      expect(await answer.promise).toStartWith('HTTP/1.1 200')
    } finally {
      service.clock.now = null
      socket.destroy()
    }
  })

  test('a deleted track accepts no bytes', async () => {
    const { trackId, url } = await newUpload()
    await service.v1('DELETE', `/track/${trackId}`)
    expect((await put(url, createBytes(10))).status).toBe(404)
    expect(await recordingsOf(service, trackId)).toEqual([])
  })

  test.each(['GET', 'POST', 'DELETE'])('%s is answered with 405', async (method) => {
    const { url } = await newUpload()
    const answer = await fetch(server.at(url), { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'PUT'])
  })

  test('preflight: any page may upload', async () => {
    const { url } = await newUpload()
    const headers = { origin: 'https://app.test', 'access-control-request-headers': 'content-type,x-of-my-own' }
    const answer = await fetch(server.at(url), { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(answer.headers.get('access-control-allow-headers')).toBe('content-type,x-of-my-own')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('on the wire', () => {
  const head = (url: string, ...lines: string[]) =>
    [`PUT ${target(url)} HTTP/1.1`, 'Host: edge.test', 'Connection: close', ...lines, '', ''].join('\r\n')

  test('a chunked body, without Content-Length', async () => {
    const { trackId, url } = await newUpload()
    const answer = await exchange(
      server.port,
      head(url, 'Transfer-Encoding: chunked'),
      '5\r\nhello\r\n1\r\n \r\n',
      '5;name=value\r\nworld\r\n0\r\n\r\n',
    )
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-checksum-sha256')).toBe(sha256(Buffer.from('hello world')))
    expect(Buffer.from(await stored(trackId)).toString()).toBe('hello world')
  })

  test('an empty chunked body is 400', async () => {
    const upload = await newUpload()
    const answer = await exchange(server.port, head(upload.url, 'Transfer-Encoding: chunked'), '0\r\n\r\n')
    expect(answer.status).toBe(400)
    await expectRetry(upload)
  })

  const cut: [what: string, line: string, body: string | Uint8Array][] = [
    ['before Content-Length is reached', 'Content-Length: 2000000', createBytes(700_000)],
    ['before its first byte', 'Content-Length: 2000000', ''],
    ['in the middle of a chunk', 'Transfer-Encoding: chunked', '100000\r\nhello'],
    ['between two chunks', 'Transfer-Encoding: chunked', '5\r\nhello\r\n'],
  ]
  test.each(cut)('interrupted %s: nothing is stored, and it may be retried', async (_, line, body) => {
    const upload = await newUpload()
    const socket = await open(server.port)
    socket.write(head(upload.url, line))
    if (body.length > 0) socket.write(body)
    await until('the upload to begin', 20_000, async () => (await track(upload.trackId)).uploadActiveAt !== null)
    socket.destroy()
    await expectRetry(upload)
  })

  test('half closed before the end counts as interrupted', async () => {
    const upload = await newUpload()
    const socket = await open(server.port)
    socket.end(`${head(upload.url, 'Content-Length: 100')}12345`)
    await until('the incoming file to be removed', 20_000, async () => (await incoming()).length === 0)
    socket.destroy()
    await expectRetry(upload)
  })

  test('too large by its Content-Length: 413 before the bytes arrive', async () => {
    const upload = await newUpload()
    const socket = await open(server.port)
    const answer = Promise.withResolvers<string>()
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (text.endsWith('}')) answer.resolve(text)
    })
    // With `Connection: close` the answer would wait for the bytes (linger.test.ts).
    socket.write(`PUT ${target(upload.url)} HTTP/1.1\r\nHost: edge.test\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`)
    expect(await answer.promise).toStartWith('HTTP/1.1 413')
    expect(text).toContain('"code":"too_large"')
    socket.destroy()
    await expectRetry(upload)
  })

  test('too large while the bytes arrive: 413 without waiting for the end', async () => {
    const upload = await newUpload()
    const socket = await open(server.port)
    const answer = Promise.withResolvers<string>()
    socket.on('data', (chunk) => answer.resolve(chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.write(head(upload.url, 'Transfer-Encoding: chunked'))
    // The final chunk of the body is never sent.
    socket.write(`${(LIMIT + 1).toString(16)}\r\n`)
    socket.write(createBytes(LIMIT + 1))
    expect(await answer.promise).toStartWith('HTTP/1.1 413')
    socket.destroy()
    await expectRetry(upload)
  })

  test('exactly the limit is accepted', async () => {
    const { url } = await newUpload()
    expect((await put(url, createBytes(LIMIT))).status).toBe(200)
  })
})
