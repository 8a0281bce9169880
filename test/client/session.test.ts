// The client follows an upload by its session, without a key; lists, sources of bytes, limits of time.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createClient, type SessionTrack, sendFile, TonearmError, UploadFailedError } from '../../src/client/index.ts'
import { fileFromPath } from '../../src/client/node.ts'
import { describe as describeOnFolder } from '../support/folder-only.ts'
import { setProgress, setStatus, startReplica } from '../support/live.ts'
import { useTestService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { listen } from '../support/wire.ts'

const service = useTestService()
let edge: ReturnType<typeof listen>
let replica: ReturnType<typeof startReplica>
beforeAll(() => {
  edge = listen(service)
  replica = startReplica(service)
})
afterAll(async () => {
  await edge.stop()
  await replica.stop()
})

const connect = (apiKey?: string) => createClient({ baseUrl: new URL(replica.url).origin, apiKey })
const fail = (track: string) =>
  service.services.db.track.update({
    where: { id: track },
    data: { status: 'init_error', statusCode: 'not_audio', statusText: 'No audio.' },
  })

async function newUpload(source: Blob = new Blob(['x'])) {
  const server = connect(service.demo.api_key)
  return server.createUpload(source, { collectionId: service.demo.collection_id })
}

describe('waitForUpload', () => {
  test('reports each state, and ends with the last one', async () => {
    const upload = await newUpload()
    const states: SessionTrack[] = []
    const waiting = connect().waitForUpload(upload, { onChange: (track) => states.push(track) })
    const reached = (count: number) => until('a state', 10_000, async () => states.length >= count)
    await reached(1)
    await setStatus(service, upload.trackId, 'processing')
    await reached(2)
    await setProgress(service, upload.trackId, 40)
    await reached(3)
    await setStatus(service, upload.trackId, 'ready')
    expect(await waiting).toMatchObject({ track_id: upload.trackId, track_status_id: 'ready', progress: 100 })
    expect(states.map(({ progress }) => progress)).toEqual([0, 0, 40, 100])
    await until('the stream to end', 10_000, async () => replica.notifications.count() === 0)
  })

  test('throws for a recording that cannot be used, and for a deleted track', async () => {
    const [failedUpload, deletedUpload] = [await newUpload(), await newUpload()]
    await fail(failedUpload.trackId)
    const failure = await connect()
      .waitForUpload(failedUpload)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UploadFailedError)
    expect((failure as UploadFailedError).message).toBe('No audio.')
    const code = connect()
      .waitForUpload(deletedUpload)
      .catch((error: TonearmError) => error.code)
    await service.v1('DELETE', `/track/${deletedUpload.trackId}`)
    expect(await code).toBe('not_found')
    // Also when it was deleted before.
    const late = connect().waitForUpload(deletedUpload)
    expect(await late.catch((error: TonearmError) => error.code)).toBe('not_found')
  })

  test('ends with the reason of its signal, and with a refusal', async () => {
    const stop = new AbortController()
    const waiting = connect().waitForUpload(await newUpload(), {
      signal: stop.signal,
      onChange: () => stop.abort(new Error('enough')),
    })
    expect(await waiting.catch((error: Error) => error.message)).toBe('enough')
    const unknownUpload = { trackId: crypto.randomUUID(), uploadSessionId: crypto.randomUUID() }
    const refusal = await connect()
      .waitForUpload(unknownUpload)
      .catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(TonearmError)
    expect((refusal as TonearmError).code).toBe('not_found')
  })

  test('connects again after a broken connection', async () => {
    const upload = await newUpload()
    let connections = 0
    const flaky = createClient({
      baseUrl: new URL(replica.url).origin,
      fetch: async (request) => {
        connections += 1
        if (connections === 1) throw new TypeError('broken')
        if (connections === 2) return new Response(null, { status: 503 })
        if (connections === 3) return new Response('retry: 1\n\n')
        return fetch(request)
      },
    })
    await setStatus(service, upload.trackId, 'ready')
    expect((await flaky.waitForUpload(upload)).track_status_id).toBe('ready')
    expect(connections).toBe(4)
  }, 20_000)
})

test('lists have every record once, over pages', async () => {
  const tonearm = connect(service.demo.api_key)
  const { collectionId } = { collectionId: service.demo.collection_id }
  const ids: string[] = []
  for await (const { id } of tonearm.tracks(collectionId, { pageSize: 2 })) {
    ids.push(id)
    // Moves every later record by one.
    if (ids.length === 2) await newUpload()
  }
  expect(ids.length).toBeGreaterThan(3)
  expect(new Set(ids).size).toBe(ids.length)
  const collections = await Array.fromAsync(tonearm.collections())
  expect(collections.map(({ id }) => id)).toContain(collectionId)
  await service.v1('POST', '/creator', { body: { organization_index: 'one' } })
  await service.v1('POST', '/creator', { body: { organization_index: 'two' } })
  const creators = await Array.fromAsync(tonearm.creators({ organizationIndex: 'one' }))
  expect(creators.map(({ organization_index }) => organization_index)).toEqual(['one'])
  const stopped = Array.fromAsync(tonearm.creators({ signal: AbortSignal.abort(new Error('stopped')) }))
  expect(await stopped.catch((error: Error) => error.message)).toBe('stopped')
})

describeOnFolder('sources', () => {
  const bytes = new TextEncoder().encode('a recording of twenty')
  async function* chunks() {
    yield bytes.subarray(0, 5)
    yield bytes.subarray(5)
  }
  const path = `${import.meta.dir}/session.test.ts`
  test.each([
    ['a Blob', async () => new Blob([bytes]), 'recording', bytes.length],
    ['a File', async () => new File([bytes], 'song.wav'), 'song.wav', bytes.length],
    ['an ArrayBuffer', async () => bytes.slice().buffer, 'recording', bytes.length],
    ['a part of a buffer', async () => Buffer.from(bytes).subarray(2), 'recording', bytes.length - 2],
    ['a stream', async () => new Blob([bytes]).stream(), 'recording', bytes.length],
    ['an iterable', async () => chunks(), 'recording', bytes.length],
    ['a path', () => fileFromPath(path), 'session.test.ts', Bun.file(path).size],
  ])('%s', async (_, open, name, size) => {
    const upload = await connect(service.demo.api_key).createUpload(await open(), {
      collectionId: service.demo.collection_id,
    })
    const progress: number[] = []
    const target = { ...upload.target, upload_url: edge.at(upload.target.upload_url) }
    await sendFile(await open(), target, { onProgress: (sent) => progress.push(sent) })
    const track = await service.services.db.track.findUniqueOrThrow({ where: { id: upload.trackId } })
    expect([track.fileNameOriginal, Number(track.sourceBytes), progress.at(-1)]).toEqual([name, size, size])
  })

  test('a bucket takes no stream', async () => {
    const target = { upload_url: 'https://bucket.example.com/key?X-Amz-Signature=a', method: 'PUT' } as const
    const sending = sendFile(new Blob([bytes]).stream(), { ...target, ttl: 1, expires_at: '' })
    expect(await sending.catch((error: Error) => error.message)).toContain('no stream')
  })
})

test('a request without an answer in time is repeated, and ends with a timeout', async () => {
  let requests = 0
  const silent = createClient({
    baseUrl: 'https://audio.example.com',
    timeoutMs: 5,
    fetch: ({ signal }) => {
      requests += 1
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  const stop = new AbortController()
  const answered = silent.getPlaySession(crypto.randomUUID(), { signal: stop.signal }).catch((error: Error) => error)
  await until('a repeat', 5000, async () => requests === 2)
  stop.abort(new Error('enough'))
  expect(await answered).toMatchObject({ message: 'enough' })
})
