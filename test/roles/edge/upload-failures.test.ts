// Whose fault a failed upload is: a broken body is the client's, anything else is the service's and is logged.
import { afterEach, expect } from 'bun:test'
import type { Logger } from 'pino'
import type { Services } from '../../../src/platform/context.ts'
import { serveStreams } from '../../../src/platform/http/stream-server.ts'
import { StorageError } from '../../../src/platform/storage/storage.ts'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { describe, test } from '../../support/folder-only.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { open, target } from '../../support/wire.ts'

const service = useTestService()
const logged: string[] = []
afterEach(() => {
  logged.length = 0
})

const isLevelEnabled = () => false
const error = ({ err }: { err: Error }) => logged.push(err.message)
const log = { error, isLevelEnabled } as unknown as Logger

const withCode = (code: string, message: string) => Object.assign(new Error(message), { code })

/** An edge whose storage fails with an error after it has read a body. */
function failingEdge(error: Error) {
  const { storage } = service.services
  const fail = async (body: AsyncIterable<Uint8Array>): Promise<never> => {
    for await (const _ of body);
    throw error
  }
  return createEdge({
    ...service.services,
    log: copyLog(),
    storage: {
      ...storage,
      receive: (_, body) => fail(body),
      ...(storage.pieces && { pieces: { ...storage.pieces, append: (_, __, body) => fail(body) } }),
    },
  })
}

/** A log of its own: one in ten seconds of similar failures is logged. */
const copyLog = (): Services['log'] => ({ ...log })

async function newUpload(): Promise<string> {
  const body = { collection_id: service.demo.collection_id, file_name: 'song.wav' }
  return (await service.v1('POST', '/track', { body })).json.track_upload.upload_url
}
async function newCover(): Promise<string> {
  return (await service.v1('POST', '/collection', { body: { title: 'C' } })).json.collection_cover_upload.upload_url
}

const tus = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
const ways: [way: string, address: () => Promise<string>, method: string, headers: Record<string, string>][] = [
  ['a PUT', newUpload, 'PUT', {}],
  ['a piece', newUpload, 'PATCH', tus],
  ['a raw cover', newCover, 'POST', {}],
]
const pixel = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

describe.each(ways)('%s', (_, address, method, headers) => {
  const bucketClosed = new StorageError('put', 'k', new Error('The socket connection was closed unexpectedly'))
  test.each([
    { status: 503, error: withCode('P2028', 'Transaction already closed') },
    { status: 503, error: withCode('P1017', 'Server has closed the connection.') },
    { status: 503, error: new Error('Client was closed and is not queryable') },
    { status: 503, error: bucketClosed },
    { status: 500, error: new Error('current transaction is aborted') },
    { status: 500, error: new DOMException('The operation was aborted.', 'AbortError') },
  ])('answers $status for a failure of the service and logs it: $error.message', async ({ status, error }) => {
    const request = new Request(await address(), { method, headers, body: pixel })
    expect((await failingEdge(error)(request)).status).toBe(status)
    expect(logged).toEqual([error.message])
  })

  test('answers 400 and logs nothing for a body that ends with any error', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Uint8Array.from(pixel)),
      pull: (controller) => controller.error(new Error("can't reach database")),
    })
    const edge = createEdge({ ...service.services, log: copyLog() })
    const answer = await edge(new Request(await address(), { method, headers, body }))
    expect(answer.status).toBe(400)
    expect(((await answer.json()) as { message: string }).message).toBe('body: ended before its declared length')
    expect(logged).toEqual([])
  })
})

test('with node:http an upload whose client leaves is 400 and not logged', async () => {
  const edge = createEdge({ ...service.services, log: copyLog() })
  const statuses: number[] = []
  const server = await serveStreams(
    async (request, sentPath) => {
      const response = await edge(request, undefined, sentPath)
      statuses.push(response.status)
      return response
    },
    { hostname: '127.0.0.1', port: 0 },
  )
  try {
    for (const framing of [
      'Content-Length: 2000000\r\n\r\nhello',
      'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
    ]) {
      const upload = await newUpload()
      const socket = await open(server.port)
      socket.write(`PUT ${target(upload)} HTTP/1.1\r\nHost: edge.test\r\n${framing}`)
      const [, trackId = ''] = /track\/([^?]+)/.exec(upload) ?? []
      const { db } = service.services
      await until('the upload to begin', 20_000, async () => {
        return (await db.track.findUniqueOrThrow({ where: { id: trackId } })).uploadActiveAt !== null
      })
      socket.destroy()
    }
    await until('both to be answered', 20_000, async () => statuses.length === 2)
    expect(statuses).toEqual([400, 400])
    expect(logged).toEqual([])
  } finally {
    await server.stop(true)
  }
})
