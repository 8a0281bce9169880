// The reference client of tus, as people use it, against the edge.
import { afterAll, beforeAll, expect } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Upload, type UploadOptions } from 'tus-js-client'
import { test } from '../../support/folder-only.ts'
import { recordedBytes } from '../../support/recording.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { listen } from '../../support/wire.ts'

let service: TestService
let server: ReturnType<typeof listen>
let network: Server
/** Received bytes, and the number after which the connection is closed. */
let passed = 0
let cuts: number[] = []
beforeAll(async () => {
  network = createServer(pass)
  const { promise, resolve } = Promise.withResolvers<void>()
  network.listen(0, '127.0.0.1', resolve)
  await promise
  const { port } = network.address() as { port: number }
  service = await startTestService({ EDGE_URL: `http://127.0.0.1:${port}` })
  server = listen(service)
}, 60_000)
afterAll(async () => {
  network.close()
  await server.stop()
  await service.stop()
})

/** A network between client and edge that loses connections. */
function pass(client: Socket) {
  const edge = connect(server.port, '127.0.0.1')
  const end = () => {
    client.destroy()
    edge.destroy()
  }
  for (const socket of [client, edge]) socket.on('error', end).on('close', end)
  edge.pipe(client)
  client.on('data', (chunk) => {
    passed += chunk.byteLength
    if (passed > (cuts[0] ?? Number.POSITIVE_INFINITY)) {
      cuts.shift()
      end()
    } else if (!edge.write(chunk)) client.pause()
  })
  edge.on('drain', () => client.resume())
}

async function newUpload(fields: object = {}) {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav', ...fields }
  const { json } = await service.v1('POST', '/track', { body })
  return { id: json.track_id as string, url: json.track_upload.upload_url as string }
}

/** @returns where its PATCHes began */
async function upload(bytes: Buffer, options: UploadOptions): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const offsets: number[] = []
  const baseOptions: UploadOptions = {
    retryDelays: [0, 50, 100, 200, 400],
    onBeforeRequest: (request) => {
      if (request.getMethod() === 'PATCH') offsets.push(Number(request.getHeader('Upload-Offset')))
    },
    onSuccess: () => resolve(),
    onError: reject,
  }
  new Upload(bytes, { ...baseOptions, ...options }).start()
  await promise
  return offsets
}

async function expectStored(id: string, bytes: Buffer) {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const stored = await recordedBytes(service, id)
  expect(createHash('sha256').update(stored).digest('hex')).toBe(sha256)
  const track = await service.services.db.track.findUniqueOrThrow({ where: { id } })
  expect(track).toMatchObject({ sourceSha256: sha256, sourceBytes: BigInt(bytes.length) })
}

test('a whole upload to a track with a known size', async () => {
  const bytes = randomBytes(3_000_000)
  const { id, url } = await newUpload({ file_size: bytes.length })
  expect(await upload(bytes, { uploadUrl: url })).toEqual([0])
  await expectStored(id, bytes)
})

test('an upload in pieces that declares its size to the address', async () => {
  const bytes = randomBytes(3_000_000)
  const { id, url } = await newUpload()
  expect(await upload(bytes, { endpoint: url, chunkSize: 1_000_000 })).toEqual([0, 1_000_000, 2_000_000])
  await expectStored(id, bytes)
})

test('an upload with data in its first request, and one with unknown size', async () => {
  const bytes = randomBytes(500_000)
  const [early, late] = [await newUpload(), await newUpload()]
  expect(await upload(bytes, { endpoint: early.url, uploadDataDuringCreation: true })).toEqual([])
  await upload(bytes, { uploadUrl: late.url, uploadLengthDeferred: true, chunkSize: 200_000 })
  await expectStored(early.id, bytes)
  await expectStored(late.id, bytes)
})

test('continues after the durable bytes when connections are lost', async () => {
  const bytes = randomBytes(20_000_000)
  const { id, url } = await newUpload({ file_size: bytes.length })
  passed = 0
  cuts = [9_000_000, 17_000_000]
  const offsets = await upload(bytes, { uploadUrl: url })
  expect(cuts).toEqual([])
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b))
  expect(offsets.filter((offset) => offset === 0)).toHaveLength(1)
  expect(offsets.at(-1)).toBeGreaterThan(5_000_000)
  await expectStored(id, bytes)
})

test('terminates an upload, and gets an error when there is nothing to resume', async () => {
  const { id, url } = await newUpload({ file_size: 10 })
  await Upload.terminate(url)
  const { status, statusCode } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
  expect([status, statusCode]).toEqual(['init_error', 'upload_cancelled'])
  expect(await upload(randomBytes(10), { uploadUrl: url, retryDelays: null }).catch(String)).toContain(
    'response code: 410',
  )
})

test('parallel parts are refused with a reason, and nothing is stored', async () => {
  const { id, url } = await newUpload()
  const bytes = randomBytes(300_000)
  const refusal = await upload(bytes, { endpoint: url, parallelUploads: 3, retryDelays: [0, 10] }).catch(String)
  expect(refusal).toContain('response code: 400')
  expect(refusal).toContain('Upload-Concat: must not be sent')
  const { db } = service.services
  expect(await db.track.findUniqueOrThrow({ where: { id } })).toMatchObject({
    status: 'initialized',
    announcedBytes: null,
    uploadCompletedAt: null,
  })
  expect(await db.job.count({ where: { trackId: id } })).toBe(0)
  await upload(bytes, { endpoint: url })
  await expectStored(id, bytes)
})

test('metadata is returned to the client that continues', async () => {
  const bytes = randomBytes(1000)
  const { url } = await newUpload()
  await upload(bytes, { endpoint: url, metadata: { filename: 'Ünïcode.wav', empty: '' } })
  const head = await fetch(url, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })
  expect(head.headers.get('upload-metadata')).toBe(
    `filename ${btoa('\u00c3\u009cn\u00c3\u00afcode.wav')},empty `.trim(),
  )
})
