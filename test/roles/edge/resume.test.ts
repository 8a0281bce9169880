// Resumable uploads on the wire: what tus 1.0 asks of each request. The real client is in tus-client.test.ts.
import { afterAll, beforeAll, expect, mock, spyOn } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from '../../support/folder-only.ts'
import { runTask } from '../../support/jobs.ts'
import { recordedBytes } from '../../support/recording.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { listen, open, target } from '../../support/wire.ts'

const LIMIT = 3_000_000
const PIECE = 'application/offset+octet-stream'
afterAll(() => server.stop())
const service = useTestService({ MAX_UPLOAD_BYTES: String(LIMIT) })
let server: ReturnType<typeof listen>
beforeAll(async () => {
  server = listen(service)
}, 60_000)

const createBytes = (length: number) => new Uint8Array(randomBytes(length))
const digest = (bytes: Uint8Array, algorithm = 'sha256', form: 'hex' | 'base64' = 'hex') =>
  createHash(algorithm).update(bytes).digest(form)

async function newUpload(fields: object = {}) {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav', ...fields }
  const { json } = await service.v1('POST', '/track', { body })
  return { id: json.track_id as string, url: json.track_upload.upload_url as string }
}

async function send(method: string, url: string, headers: Record<string, string> = {}, body?: BodyInit) {
  const all = { 'tus-resumable': '1.0.0', ...headers }
  const response = await fetch(server.at(url), { method, headers: all, body })
  const text = await response.text()
  return { status: response.status, headers: response.headers, code: text ? JSON.parse(text).code : undefined }
}

const patch = (url: string, offset: number, body: BodyInit, headers: Record<string, string> = {}) =>
  send('PATCH', url, { 'content-type': PIECE, 'upload-offset': String(offset), ...headers }, body)
const readOffset = async (url: string) => Number((await send('HEAD', url)).headers.get('upload-offset'))
const track = (id: string) => service.services.db.track.findUniqueOrThrow({ where: { id } })
const stored = (id: string) => recordedBytes(service, id)
/** Unfinished bytes of an upload in storage. */
const unfinished = async (id: string) =>
  (await readdir(join(service.dataDir, 'storage/.incoming'))).filter((name) => name.startsWith(id))

describe('one upload in pieces', () => {
  test('appends each piece, and the last one completes the upload like a PUT', async () => {
    const bytes = createBytes(2_500_000)
    const { id, url } = await newUpload({ file_size: bytes.length })
    const begun = await send('HEAD', url)
    expect([begun.status, begun.headers.get('upload-offset'), begun.headers.get('upload-length')]).toEqual([
      200,
      '0',
      '2500000',
    ])
    expect(begun.headers.get('cache-control')).toBe('no-store')
    expect(begun.headers.get('tus-resumable')).toBe('1.0.0')
    expect(Date.parse(begun.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now())

    const first = await patch(url, 0, bytes.subarray(0, 1_200_000))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '1200000'])
    expect(await readOffset(url)).toBe(1_200_000)
    const last = await patch(url, 1_200_000, bytes.subarray(1_200_000))
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '2500000'])
    expect(last.headers.get('x-checksum-sha256')).toBe(digest(bytes))

    expect(digest(await stored(id))).toBe(digest(bytes))
    expect(await track(id)).toMatchObject({ sourceSha256: digest(bytes), sourceBytes: 2_500_000n })
    expect(await service.services.db.job.count({ where: { trackId: id } })).toBe(1)
    expect(await service.services.db.resumableUpload.count({ where: { trackId: id } })).toBe(0)
    expect(await unfinished(id)).toEqual([])
    // The answer may have been lost.
    const after = await send('HEAD', url)
    expect([after.status, after.headers.get('upload-offset'), after.headers.get('upload-length')]).toEqual([
      200,
      '2500000',
      '2500000',
    ])
    const again = await patch(url, 0, bytes)
    expect([again.status, again.code]).toEqual([409, 'upload_completed'])
    const put = await fetch(server.at(url), { method: 'PUT', body: bytes })
    expect(put.status).toBe(409)
  })

  test('its size may be declared by a POST, which returns the same address, or with any piece', async () => {
    const bytes = createBytes(1000)
    const [posted, late] = [await newUpload(), await newUpload()]
    expect((await send('HEAD', posted.url)).headers.get('upload-defer-length')).toBe('1')
    const created = await send('POST', posted.url, { 'upload-length': '1000' })
    expect([created.status, created.headers.get('location')]).toEqual([201, posted.url])
    expect((await send('HEAD', posted.url)).headers.get('upload-length')).toBe('1000')
    expect((await send('POST', posted.url, { 'upload-length': '999' })).status).toBe(400)
    const whole = await send('POST', posted.url, { 'upload-length': '1000', 'content-type': PIECE }, bytes)
    expect([whole.status, whole.headers.get('upload-offset')]).toEqual([201, '1000'])

    expect((await send('POST', late.url, { 'upload-defer-length': '1' })).status).toBe(201)
    expect((await patch(late.url, 0, bytes.subarray(0, 400))).status).toBe(204)
    expect((await patch(late.url, 400, bytes.subarray(400), { 'upload-length': '1000' })).status).toBe(204)
    for (const { id } of [posted, late]) expect((await track(id)).sourceSha256).toBe(digest(bytes))
  })

  test('its size may be declared twice at once, but not two sizes', async () => {
    const [same, other] = [await newUpload(), await newUpload()]
    const declare = (url: string, sizes: string[]) =>
      Promise.all(sizes.map((size) => send('POST', url, { 'upload-length': size })))
    const twice = await declare(same.url, Array(4).fill('1000'))
    expect(twice.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const statuses = (await declare(other.url, ['1000', '1001'])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 400])
  })

  test('a PUT uploads the whole, and must have the declared size', async () => {
    const { id, url } = await newUpload({ file_size: 500 })
    await patch(url, 0, createBytes(100))
    expect((await fetch(server.at(url), { method: 'PUT', body: createBytes(499) })).status).toBe(400)
    const bytes = createBytes(500)
    expect((await fetch(server.at(url), { method: 'PUT', body: bytes })).status).toBe(200)
    expect((await track(id)).sourceSha256).toBe(digest(bytes))
    expect(await unfinished(id)).toEqual([])
    expect(await service.services.db.resumableUpload.count({ where: { trackId: id } })).toBe(0)
  })

  test('a method may be sent in a header', async () => {
    const { url } = await newUpload({ file_size: 3 })
    const headers = { 'x-http-method-override': 'PATCH', 'content-type': PIECE, 'upload-offset': '0' }
    expect((await send('POST', url, headers, 'abc')).status).toBe(204)
  })
})

describe('a rejected request leaves the upload unchanged', () => {
  test('another offset, version, type, length; a forged address', async () => {
    const { url } = await newUpload({ file_size: 100 })
    await patch(url, 0, createBytes(40))
    const forged = url.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`)
    const large = (await newUpload()).url
    const refusals: [() => Promise<{ status: number; code: string }>, number, string][] = [
      [() => patch(url, 0, createBytes(60)), 409, 'upload_offset_mismatch'],
      [() => patch(url, 41, createBytes(59)), 409, 'upload_offset_mismatch'],
      [() => patch(url, 40, createBytes(61)), 413, 'too_large'],
      [() => patch(url, 40, createBytes(60), { 'tus-resumable': '0.2.2' }), 412, 'unsupported_protocol_version'],
      [() => patch(url, 40, createBytes(60), { 'content-type': 'audio/wav' }), 415, 'unsupported_media_type'],
      [() => patch(url, 40, createBytes(60), { 'upload-length': '101' }), 400, 'invalid_input'],
      [() => patch(url, 40, createBytes(60), { 'upload-checksum': 'crc32 AAAA' }), 400, 'invalid_input'],
      [() => send('PATCH', url, { 'content-type': PIECE }, 'x'), 400, 'invalid_input'],
      [() => send('POST', url), 400, 'invalid_input'],
      [() => patch(forged, 40, createBytes(60)), 403, 'forbidden'],
      [() => send('POST', large, { 'upload-length': String(LIMIT + 1) }), 413, 'too_large'],
    ]
    for (const [answer, status, code] of refusals) {
      const { status: answeredStatus, code: word } = await answer()
      expect([answeredStatus, word]).toEqual([status, code])
    }
    expect(await readOffset(url)).toBe(40)
    const old = await send('HEAD', url, { 'tus-resumable': '2.0' })
    expect([old.status, old.headers.get('tus-version')]).toEqual([412, '1.0.0'])
    const created = await service.v1('POST', '/track', {
      body: { collection_id: service.demo.collection_id, file_name: 'a', file_size: LIMIT + 1 },
    })
    expect([created.status, created.json.code]).toEqual([413, 'too_large'])
  })

  test('a piece with a wrong checksum is dropped, one with a valid checksum is stored', async () => {
    const bytes = createBytes(3000)
    const { id, url } = await newUpload({ file_size: 3000 })
    const wrong = await patch(url, 0, bytes, { 'upload-checksum': `sha1 ${digest(createBytes(1), 'sha1', 'base64')}` })
    expect([wrong.status, wrong.code]).toEqual([460, 'checksum_mismatch'])
    expect(await readOffset(url)).toBe(0)
    for (const [start, algorithm] of [
      [0, 'sha1'],
      [1000, 'sha256'],
      [2000, 'md5'],
    ] as const) {
      const part = bytes.subarray(start, start + 1000)
      const headers = { 'upload-checksum': `${algorithm} ${digest(part, algorithm, 'base64')}` }
      expect((await patch(url, start, part, headers)).status).toBe(204)
    }
    expect((await track(id)).sourceSha256).toBe(digest(bytes))
  })
})

describe('connections that end, and several at once', () => {
  const head = (url: string, length: number, ...lines: string[]) =>
    [`PATCH ${target(url)} HTTP/1.1`, 'Host: edge.test', 'Tus-Resumable: 1.0.0', `Content-Type: ${PIECE}`]
      .concat(['Upload-Offset: 0', `Content-Length: ${length}`, ...lines, '', ''])
      .join('\r\n')

  test('bytes before a broken connection count; those of a piece with a checksum do not', async () => {
    const bytes = createBytes(2_000_000)
    const [plain, checked] = [await newUpload({ file_size: 2_000_000 }), await newUpload({ file_size: 2_000_000 })]
    const checksum = `Upload-Checksum: sha256 ${digest(bytes, 'sha256', 'base64')}`
    for (const [{ id, url }, lines] of [
      [plain, []],
      [checked, [checksum]],
    ] as const) {
      const socket = await open(server.port)
      socket.write(head(url, bytes.length, ...lines))
      socket.end(bytes.subarray(0, 1_500_000))
      const row = () => service.services.db.resumableUpload.findUnique({ where: { trackId: id } })
      await until('the lease to end', 20_000, async () => (await row())?.leaseId === null)
    }
    expect(await readOffset(plain.url)).toBe(1_500_000)
    expect(await readOffset(checked.url)).toBe(0)
    expect((await patch(plain.url, 1_500_000, bytes.subarray(1_500_000))).status).toBe(204)
    expect((await patch(checked.url, 0, bytes)).status).toBe(204)
    for (const { id } of [plain, checked]) expect(digest(await stored(id))).toBe(digest(bytes))
  })

  test('during an upload another request is 423; a silent sender loses its lease', async () => {
    const { id, url } = await newUpload({ file_size: 10 })
    const socket = await open(server.port)
    const answer = Promise.withResolvers<string>()
    socket.on('data', (chunk) => answer.resolve(chunk.toString('latin1')))
    socket.write(`${head(url, 10)}01234`)
    const row = () => service.services.db.resumableUpload.findUnique({ where: { trackId: id } })
    await until('the lease', 20_000, async () => (await row())?.leaseId != null)
    const second = await patch(url, 0, '0123456789')
    expect([second.status, second.code, second.headers.get('retry-after')]).toEqual([423, 'upload_in_use', '5'])
    try {
      // As after five seconds without a byte.
      await service.services.db.resumableUpload.update({ where: { trackId: id }, data: { leaseEndsAt: new Date(0) } })
      const now = performance.now() + 5000
      spyOn(performance, 'now').mockImplementation(() => now)
      // A clock that is set back makes no lease longer.
      service.clock.now = new Date(Date.now() - 60_000)
      expect((await patch(url, 0, 'abcde')).status).toBe(204)
      socket.write('56789')
      expect(await answer.promise).toMatch(/^HTTP\/1.1 423/)
    } finally {
      mock.restore()
      service.clock.now = null
      socket.destroy()
    }
    expect((await patch(url, 5, 'fghij')).status).toBe(204)
    expect(Buffer.from(await stored(id)).toString()).toBe('abcdefghij')
  })

  test('of ten concurrent uploads one succeeds', async () => {
    const bodies = Array.from({ length: 10 }, () => createBytes(100_000))
    const { id, url } = await newUpload({ file_size: 100_000 })
    const answers = await Promise.all(bodies.map((body) => patch(url, 0, body)))
    const won = answers.findIndex(({ status }) => status === 204)
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    for (const { status } of answers) expect([204, 409, 423]).toContain(status)
    expect(digest(await stored(id))).toBe(digest(bodies[won] ?? new Uint8Array()))
  })
})

describe('ends', () => {
  test('it may start until its address expires, and continue for a day; then it is removed', async () => {
    const { id, url } = await newUpload({ file_size: 10 })
    const unused = await newUpload({ file_size: 10 })
    try {
      expect((await patch(url, 0, '01234')).status).toBe(204)
      service.clock.now = new Date(Date.now() + 20 * 3_600_000)
      await runTask(service.services, 'expire_uploads')
      expect((await patch(unused.url, 0, '01234')).status).toBe(410)
      expect(await readOffset(url)).toBe(5)
      service.clock.now = new Date(Date.now() + 25 * 3_600_000)
      expect((await patch(url, 5, '56789')).code).toBe('expired')
      expect((await send('HEAD', url)).status).toBe(410)
      expect(await unfinished(id)).toHaveLength(1)
      await runTask(service.services, 'expire_uploads')
      expect(await track(id)).toMatchObject({ status: 'init_error', statusCode: 'upload_expired' })
      expect(await unfinished(id)).toEqual([])
    } finally {
      service.clock.now = null
    }
  })

  test('its sender may cancel it', async () => {
    const { id, url } = await newUpload({ file_size: 10 })
    await patch(url, 0, '01234')
    expect((await send('DELETE', url)).status).toBe(204)
    expect((await send('HEAD', url)).status).toBe(410)
    expect(await track(id)).toMatchObject({ status: 'init_error', statusCode: 'upload_cancelled' })
    expect(await unfinished(id)).toEqual([])
  })

  test('an upload can be completed after a crash at the last byte, or a cleared folder', async () => {
    const bytes = createBytes(1000)
    const [whole, cleared] = [await newUpload(), await newUpload({ file_size: 1000 })]
    await patch(whole.url, 0, bytes)
    await service.services.db.track.update({ where: { id: whole.id }, data: { announcedBytes: 1000 } })
    expect(await readOffset(whole.url)).toBe(1000)
    expect((await track(whole.id)).sourceSha256).toBe(digest(bytes))
    await patch(cleared.url, 0, bytes.subarray(0, 900))
    await truncate(join(service.dataDir, 'storage/.incoming', `${cleared.id}.part`), 300)
    expect(await readOffset(cleared.url)).toBe(300)
    expect((await patch(cleared.url, 300, bytes.subarray(300))).status).toBe(204)
    expect((await track(cleared.id)).sourceSha256).toBe(digest(bytes))
  })
})

describe('pages on another origin', () => {
  test('may send the headers of the protocol, and read those of the answers', async () => {
    const { url } = await newUpload()
    const needed = ['tus-resumable', 'upload-offset', 'upload-length', 'upload-checksum', 'content-type']
    const preflight = await fetch(server.at(url), {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.test',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': needed.join(','),
      },
    })
    const list = (name: string) => (preflight.headers.get(name) ?? '').toLowerCase().split(/, */)
    expect(preflight.status).toBe(204)
    expect(list('access-control-allow-methods')).toEqual(expect.arrayContaining(['patch', 'head', 'post', 'put']))
    expect(list('access-control-allow-headers')).toEqual(needed)
    expect(list('tus-extension')).toEqual(expect.arrayContaining(['creation', 'checksum', 'expiration', 'termination']))
    expect(preflight.headers.get('tus-version')).toBe('1.0.0')
    expect(preflight.headers.get('tus-max-size')).toBe(String(LIMIT))
    expect(list('tus-checksum-algorithm')).toContain('sha1')
    for (const answer of [await send('HEAD', url), await patch(url, 7, 'x')]) {
      const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase().split(/, */)
      expect(exposed).toEqual(expect.arrayContaining(['upload-offset', 'upload-length', 'location', 'upload-expires']))
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  test('is not offered with direct uploads to a bucket', async () => {
    const { url } = await newUpload()
    const { pieces } = service.services.storage
    try {
      service.services.storage.pieces = undefined
      const preflight = await fetch(server.at(url), { method: 'OPTIONS' })
      expect([preflight.headers.get('tus-version'), (await send('PATCH', url)).status]).toEqual([null, 405])
    } finally {
      service.services.storage.pieces = pieces
    }
  })
})
