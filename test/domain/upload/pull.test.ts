// Recordings that are fetched from a source_url: correct, failing and hostile sources.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { GIVE_UP_MS } from '../../../src/domain/processing/pauses.ts'
import { StorageError } from '../../../src/platform/storage/storage.ts'
import { tone } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { readEntries, readEntry } from '../../support/queue.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { type Answer, headOf, startSource } from '../../support/source.ts'
import { until } from '../../support/until.ts'

const LIMIT = 400_000
afterAll(() => source.stop())
const service = useTestService({ MAX_UPLOAD_BYTES: String(LIMIT) })
/** Let the answers of the source `gate` end. */
const waiting: (() => void)[] = []
let source: Awaited<ReturnType<typeof startSource>>
let sound: Buffer
const whole: Answer = (socket) => {
  socket.write(headOf('200 OK', { 'Content-Length': sound.length, 'Content-Type': 'audio/wav' }))
  socket.end(sound)
}
/** Interrupts each answer in the middle and supports ranges. */
const broken =
  (headers: Record<string, string>): Answer =>
  (socket, head) => {
    const from = Number(/^range: bytes=(\d+)-/im.exec(head)?.[1] ?? 0)
    const range = { 'Content-Range': `bytes ${from}-${sound.length - 1}/${sound.length}` }
    const status = from > 0 ? '206 Partial Content' : '200 OK'
    socket.write(headOf(status, { 'Content-Length': sound.length - from, ...headers, ...(from > 0 && range) }))
    // Bytes that arrive together with the end of the connection may be lost.
    socket.write(sound.subarray(from, from + 70_000), () => setTimeout(() => socket.destroy(), 30))
  }
const status =
  (line: string): Answer =>
  (socket) =>
    socket.end(headOf(line, { 'Content-Length': 0 }))
const away =
  (location: string): Answer =>
  (socket) =>
    socket.end(headOf('302 Found', { Location: location }))

beforeAll(async () => {
  sound = Buffer.from(await tone(2, 'wav', { channels: 1 }))
  source = await startSource({
    'song-%C3%A9-wav': whole,
    song: whole,
    named: (socket) => {
      const name = `attachment; filename="plain.wav"; filename*=UTF-8''na%C3%AFve%20song.wav`
      socket.write(headOf('200 OK', { 'Content-Length': sound.length, 'Content-Disposition': name }))
      socket.end(sound)
    },
    hop: away('/hop2'),
    hop2: away('/hop3'),
    hop3: away('/song'),
    loop: away('/loop'),
    inside: away('ftp://169.254.169.254/latest'),
    resumable: broken({ ETag: '"one"', 'Accept-Ranges': 'bytes' }),
    changing: (socket, _, count) => {
      const head = headOf('200 OK', { 'Content-Length': 9, ETag: `"${count}"`, 'Accept-Ranges': 'bytes' })
      socket.write(`${head}abc`, () => setTimeout(() => socket.destroy(), 30))
    },
    slow: (socket) => {
      socket.write(`${headOf('200 OK', { 'Content-Length': 300_000 })}abc`, () => {
        service.clock.now = new Date(Date.now() + 61_000)
        setTimeout(() => socket.write('def'), 30)
      })
    },
    gate: (socket) => {
      socket.write(headOf('200 OK', { 'Content-Length': sound.length }))
      waiting.push(() => socket.end(sound))
    },
    weak: broken({ ETag: 'W/"one"', 'Accept-Ranges': 'bytes' }),
    missing: status('404 Not Found'),
    away: status('503 Service Unavailable'),
    busy: (socket) => socket.end(headOf('429 Too Many Requests', { 'Retry-After': 120, 'Content-Length': 0 })),
    empty: status('200 OK'),
    announced: (socket) => socket.write(headOf('200 OK', { 'Content-Length': LIMIT + 1 })),
    endless: (socket) => {
      socket.write(headOf('200 OK'))
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'b'))) {}
      }
      socket.on('drain', more)
      more()
    },
    bomb: (socket) => {
      const body = gzipSync(Buffer.alloc(5_000_000))
      socket.write(headOf('200 OK', { 'Content-Encoding': 'gzip', 'Content-Length': body.length }))
      socket.end(body)
    },
    page: (socket) => socket.end(`${headOf('200 OK', { 'Content-Type': 'text/html' })}<html>Please sign in</html>`),
  })
})

async function create(url: string, fields: object = {}) {
  const body = { collection_id: service.demo.collection_id, source_url: url, ...fields }
  const { status: answered, json } = await service.v1('POST', '/track', { body })
  expect(answered).toBe(200)
  return json as Json
}
const readTrackJson = async (id: string) => (await service.v1('GET', `/track/${id}`)).json.track
const attempt = (trackId: string, services = service.services) => runTask(services, 'pull_source', { trackId })
/** Sets the state before the last attempt: three temporary failures. */
async function lastAttempt(trackId: string): Promise<void> {
  await service.services.db.sourcePull.update({ where: { trackId }, data: { tries: 3 } })
  await attempt(trackId)
}
/** Seconds until the next attempt. */
async function nextAttemptIn(trackId: string): Promise<number> {
  return (await readEntry(service.services.pool, { key: `pull:${trackId}` })).dueIn
}
const readReason = async (id: string) => {
  const { track_status_id, status_code } = await readTrackJson(id)
  return [track_status_id, status_code]
}

describe('a recording with a source_url', () => {
  test('is fetched and processed like an upload; its address is not shown', async () => {
    const json = await create(source.at('song-%C3%A9-wav?token=hunter2').replace('//', '//user:p%40ss@'))
    expect([json.track.track_status_id, json.track.file_name_original]).toEqual(['initialized', 'song-é-wav'])
    expect(json.track_upload.method).toBe('PUT')
    const put = await service.fetchEdge(json.track_upload.upload_url, { method: 'PUT', body: 'x' })
    expect([put.status, ((await put.json()) as Json).code]).toEqual([409, 'source_url_given'])
    const { rows } = await service.services.pool.query('SELECT row_to_json(p)::text FROM source_pull p')
    const entries = await readEntries(service.services.pool)
    expect(JSON.stringify([json, rows, entries])).not.toMatch(/hunter2|p%40ss|p@ss/)

    await service.runJobs()
    const track = await readTrackJson(json.track_id)
    expect([track.track_status_id, track.duration]).toEqual(['ready', 2])
    const stored = await service.services.db.track.findUniqueOrThrow({ where: { id: json.track_id } })
    expect(stored.sourceSha256).toBe(createHash('sha256').update(sound).digest('hex'))
    expect(await service.services.db.sourcePull.count()).toBe(0)
    const sourceRequest = source.requests.at(-1) ?? ''
    expect(sourceRequest).toContain('GET /song-%C3%A9-wav?token=hunter2')
    expect(sourceRequest).toMatch(new RegExp(`authorization: Basic ${btoa('user:p@ss')}`, 'i'))
    expect(sourceRequest).toMatch(/accept-encoding: identity/i)
  })

  test.each([
    { field: undefined, name: 'naïve song.wav' },
    { field: 'mine.wav', name: 'mine.wav' },
  ])('uses the given file name, else the one of the source: $name', async ({ field, name }) => {
    const { track_id: id } = await create(source.at('named'), { file_name: field })
    await attempt(id)
    expect((await readTrackJson(id)).file_name_original).toBe(name)
  })

  test('follows three redirects, and can be created with GraphQL repeatedly', async () => {
    const query = `mutation ($input: CreateTrackInput!) { createTrack(input: $input) {
      track { id status fileNameOriginal } upload { trackUpload { method } } } }`
    const pullOnce = async () => {
      const input = { collectionId: service.demo.collection_id, sourceUrl: source.at('hop'), fileSize: sound.length }
      const { createTrack } = (await service.graphql(query, { input })).data
      const { id } = createTrack.track
      await attempt(id)
      const { sourceBytes } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
      return { ...createTrack, bytes: Number(sourceBytes) }
    }
    const expected = {
      track: { status: 'INITIALIZED', fileNameOriginal: 'hop' },
      upload: { trackUpload: { method: 'PUT' } },
      bytes: sound.length,
    }
    expect([await pullOnce(), await pullOnce()]).toMatchObject([expected, expected])
  })

  test('continues an interrupted download if the source supports ranges', async () => {
    const { track_id: id } = await create(source.at('resumable'))
    await attempt(id)
    const { sourceSha256 } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
    expect(sourceSha256).toBe(createHash('sha256').update(sound).digest('hex'))
    const last = source.requests.at(-1) ?? ''
    expect(last).toMatch(/range: bytes=140000-/i)
    expect(last).toMatch(/if-range: "one"/i)
  })
})

describe('a failure of the service is retried and never shown on the track', () => {
  test('retries failing storage with growing pauses for at least 24 hours', async () => {
    const { track_id: id } = await create(source.at('song'))
    const receive = async () => Promise.reject(new StorageError('receive', null, new Error('no answer')))
    const failing = { ...service.services, storage: { ...service.services.storage, receive } }
    await attempt(id, failing)
    expect(await nextAttemptIn(id)).toBeCloseTo(5, 0)
    await attempt(id, failing)
    expect(await nextAttemptIn(id)).toBeCloseTo(10, 0)
    await service.services.db.sourcePull.update({ where: { trackId: id }, data: { failures: 100 } })
    await attempt(id, failing)
    expect(await nextAttemptIn(id)).toBeCloseTo(600, 0)
    expect(await readReason(id)).toEqual(['initialized', null])
    await attempt(id)
    expect((await service.services.db.track.findUniqueOrThrow({ where: { id } })).uploadCompletedAt).not.toBeNull()
  })

  test('pauses after the fifth crash of its worker, longer after each, and begins again after the pause', async () => {
    const { track_id: id } = await create(source.at('song'))
    const pull = () => service.services.db.sourcePull.findUnique({ where: { trackId: id } })
    const crashed = (crashes: number) =>
      service.services.db.sourcePull.update({ where: { trackId: id }, data: { isRunning: true, crashes } })
    const pauses: number[] = []
    for (const crashes of [4, 5, 6]) {
      await crashed(crashes)
      await attempt(id)
      pauses.push(Math.round(await nextAttemptIn(id)))
      expect(await pull()).toMatchObject({ isRunning: false, crashes: crashes + 1 })
    }
    expect(pauses).toEqual([15, 30, 60])
    await attempt(id)
    // The pull is complete.
    expect(await pull()).toBeNull()
  })

  test('begins at once after the first four crashes', async () => {
    const { track_id: id } = await create(source.at('song'))
    await service.services.db.sourcePull.update({ where: { trackId: id }, data: { isRunning: true, crashes: 3 } })
    await attempt(id)
    expect(await service.services.db.sourcePull.findUnique({ where: { trackId: id } })).toBeNull()
  })

  test('respects the Retry-After of the source', async () => {
    const { track_id: id } = await create(source.at('busy'))
    await attempt(id)
    expect(await nextAttemptIn(id)).toBeCloseTo(120, -1)
  })
})

describe('a failed pull ends with a status code', () => {
  test.each([
    { path: 'missing', code: 'source_refused' },
    { path: 'empty', code: 'source_empty' },
    { path: 'announced', code: 'too_large' },
    { path: 'endless', code: 'too_large' },
    { path: 'bomb', code: 'source_encoded' },
    { path: 'loop', code: 'source_redirected' },
    { path: 'inside', code: 'source_forbidden_address' },
  ])('gives up at once after a permanent failure: $path', async ({ path, code }) => {
    const { track_id: id } = await create(source.at(path))
    await attempt(id)
    expect(await readReason(id)).toEqual(['init_error', code])
    expect(await service.services.db.sourcePull.count({ where: { trackId: id } })).toBe(0)
  })

  test.each([
    { path: 'away', code: 'source_refused' },
    { path: 'weak', code: 'source_broken_off' },
    { path: 'changing', code: 'source_changed' },
  ])('gives up after the last attempt of a temporary failure: $path', async ({ path, code }) => {
    const { track_id: id } = await create(source.at(path))
    await attempt(id)
    expect(await readReason(id)).toEqual(['initialized', null])
    expect(await nextAttemptIn(id)).toBeCloseTo(3, 0)
    await lastAttempt(id)
    expect(await readReason(id)).toEqual(['init_error', code])
  })

  test('leaves slots to other organizations: a fifth recording of one waits', async () => {
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push((await create(source.at('gate'))).track_id)
    const [fifth = '', ...others] = ids.reverse()
    const running = others.map((id) => attempt(id))
    await until('four sources', 10_000, () => waiting.length === 4)
    await attempt(fifth)
    expect(waiting).toHaveLength(4)
    expect(await nextAttemptIn(fifth)).toBeWithin(1, 6)
    for (const end of waiting) end()
    await Promise.all(running)
    const repeated = attempt(fifth)
    await until('the fifth source', 10_000, () => waiting.length === 5)
    waiting[4]?.()
    await repeated
    expect((await readTrackJson(fifth)).track_status_id).not.toBe('init_error')
  })

  test('gives up a source that is too slow', async () => {
    const { track_id: id } = await create(source.at('slow'))
    try {
      await lastAttempt(id)
      expect(await readReason(id)).toEqual(['init_error', 'source_timed_out'])
    } finally {
      service.clock.now = null
    }
  })

  test('reports a page instead of a recording as not decodable', async () => {
    const { track_id: id } = await create(source.at('page'))
    await attempt(id)
    const { id: jobId } = await service.services.db.job.findFirstOrThrow({ where: { trackId: id } })
    await runTask(service.services, 'process_track', { jobId })
    expect(await readReason(id)).toEqual(['init_error', 'not_audio'])
  })

  test('gives up after a size mismatch, an unknown host and repeated crashes', async () => {
    const [other, gone, dying] = [
      await create(source.at('song'), { file_size: 5 }),
      await create('http://127.0.0.1:1/a.wav'),
      await create(source.at('song')),
    ]
    await attempt(other.track_id)
    expect(await readReason(other.track_id)).toEqual(['init_error', 'source_size_mismatch'])
    await lastAttempt(gone.track_id)
    expect(await readReason(gone.track_id)).toEqual(['init_error', 'source_unreachable'])
    const data = { isRunning: true, crashes: 5, failingSince: new Date(Date.now() - GIVE_UP_MS) }
    await service.services.db.sourcePull.update({ where: { trackId: dying.track_id }, data })
    await attempt(dying.track_id)
    expect(await readReason(dying.track_id)).toEqual(['init_error', 'source_pull_failed'])
    await until('the connections to close', 20_000, () => source.openCount() === 0)
  })

  test('does not fetch for a deleted track; a waiting track does not expire', async () => {
    const [deleted, waiting] = [await create(source.at('song')), await create(source.at('song'))]
    await service.v1('DELETE', `/track/${deleted.track_id}`)
    const before = source.requests.length
    await attempt(deleted.track_id)
    expect(source.requests.length).toBe(before)
    try {
      service.clock.now = new Date(Date.now() + 7_200_000)
      await runTask(service.services, 'expire_uploads')
      expect(await readReason(waiting.track_id)).toEqual(['initialized', null])
    } finally {
      service.clock.now = null
    }
  })
})

describe('addresses that are refused on creation, with a message that does not contain them', () => {
  test.each(['ftp://example.com/a', 'file:///etc/passwd', 'nonsense?secret', 'data:audio/wav;base64,AA'])(
    '%s',
    async (url) => {
      const body = { collection_id: service.demo.collection_id, source_url: url }
      const { status: answered, json } = await service.v1('POST', '/track', { body })
      expect([answered, json.code]).toEqual([400, 'invalid_input'])
      expect(json.message).toStartWith('source_url: must be')
      expect(json.message).not.toContain('secret')
    },
  )

  test('refuses http and private addresses and names by default', async () => {
    const strict = { ...service.services, config: { ...service.services.config, isSourcePrivateAllowed: false } }
    const { createGateway } = await import('../../../src/roles/gateway/app.ts')
    const gateway = createGateway(strict)
    const ask = async (url: string) => {
      const body = JSON.stringify({ collection_id: service.demo.collection_id, source_url: url })
      const headers = { authorization: `Bearer ${service.demo.api_key}`, 'content-type': 'application/json' }
      return (await gateway(new Request('http://localhost/v1/track', { method: 'POST', headers, body }))).status
    }
    const urls = ['http://example.com/a', 'https://127.0.0.1/a', 'https://169.254.169.254/a', 'https://[::1]/a']
    for (const url of [...urls, 'https://0x7f.1/a', 'https://localhost/a', 'https://db.internal/a']) {
      expect(await ask(url)).toBe(400)
    }
    // The address was allowed when the track was created.
    const { track_id: id } = await create(source.at('song'))
    const before = source.requests.length
    await attempt(id, strict)
    expect(source.requests.length).toBe(before)
    expect(await readReason(id)).toEqual(['init_error', 'source_forbidden_address'])
  })
})
