import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { createEdge } from '../../../src/roles/edge/app.ts'
import { makeMedia } from '../../support/audio.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { listen, open, target } from '../../support/wire.ts'

const MAX_COVER_BYTES = 20 * 1024 ** 2
afterAll(() => server.stop())
const service = useTestService()
let server: ReturnType<typeof listen>
let image: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  server = listen(service)
  image = await makeMedia(['-f', 'lavfi', '-i', 'color=c=blue:s=300x200', '-frames:v', '1'], 'png')
}, 60_000)

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Bytes with the signature of a PNG. */
const createPicture = (length: number) =>
  new Uint8Array(Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(length - 8)]))

async function newCover(): Promise<{ id: string; url: string }> {
  const { json } = await service.v1('POST', '/collection', { body: { title: 'With a cover' } })
  return { id: json.collection_id, url: json.collection_cover_upload.upload_url }
}

async function post(url: string, body: BodyInit, headers: Record<string, string> = {}) {
  const response = await fetch(server.at(url), { method: 'POST', body, headers })
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json }
}

/** Hash of the picture that the cover of a collection is made from. */
async function stored(id: string): Promise<string> {
  const { coverSourceKey } = await service.services.db.collection.findUniqueOrThrow({ where: { id } })
  return sha256((await service.objects.read(coverSourceKey ?? '')) ?? new Uint8Array())
}

function form(...files: [name: string, content: Uint8Array<ArrayBuffer>][]): FormData {
  const data = new FormData()
  for (const [name, content] of files) {
    data.append(name, new Blob([content], { type: 'image/png' }), 'cover.png')
  }
  return data
}

describe('a cover (contract, section 5)', () => {
  test('has a POST handle', async () => {
    const { json } = await service.v1('POST', '/track', {
      body: { collection_id: service.demo.collection_id, file_name: 'a.wav' },
    })
    expect(json.track_cover_upload).toMatchObject({ method: 'POST', ttl: 3600 })
  })

  test('as the raw image', async () => {
    const { id, url } = await newCover()
    const { status, headers } = await post(url, image, { 'content-type': 'image/png' })
    expect(status).toBe(200)
    expect(headers.get('x-checksum-sha256')).toBe(sha256(image))
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/)
    expect(await stored(id)).toBe(sha256(image))
  })

  test('as a form with one file, with any field name', async () => {
    const { id, url } = await newCover()
    const { status, headers } = await post(url, form(['artwork', image]))
    expect(status).toBe(200)
    expect(headers.get('x-checksum-sha256')).toBe(sha256(image))
    expect(await stored(id)).toBe(sha256(image))
  })

  test('a form may contain other fields', async () => {
    const data = form(['file', image])
    data.append('title', 'My cover')
    expect((await post((await newCover()).url, data)).status).toBe(200)
  })

  test('a form without a file, with two files, or an invalid form is 400, and may be retried', async () => {
    const { url } = await newCover()
    const text = new FormData()
    text.append('title', 'no file')
    expect((await post(url, text)).status).toBe(400)
    expect((await post(url, form(['a', image], ['b', image]))).status).toBe(400)
    expect((await post(url, 'x', { 'content-type': 'multipart/form-data; boundary=none' })).status).toBe(400)
    expect((await post(url, 'x', { 'content-type': 'multipart/form-data' })).status).toBe(400)
    expect((await post(url, form(['empty', new Uint8Array(0)]))).status).toBe(400)
    expect((await post(url, '')).status).toBe(400)
    expect((await post(url, form(['file', image]))).status).toBe(200)
  })

  test('a second is 409; ten at once, one wins', async () => {
    const { id, url } = await newCover()
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(url, createPicture(30_000))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.every(({ status }) => [200, 409].includes(status))).toBe(true)
    const winner = answers.find(({ status }) => status === 200)
    expect(await stored(id)).toBe(winner?.headers.get('x-checksum-sha256') ?? '')
    expect((await post(url, form(['file', image]))).json.code).toBe('upload_completed')
  })

  test('a new address replaces it', async () => {
    const { id, url } = await newCover()
    try {
      await post(url, image)
      service.clock.now = new Date(Date.now() + 60_000)
      const again = await service.v1('POST', `/collection/${id}/cover`)
      const other = createPicture(100)
      expect((await post(again.json.collection_cover_upload.upload_url, other)).status).toBe(200)
      expect(await stored(id)).toBe(sha256(other))
    } finally {
      service.clock.now = null
    }
  })

  test.each([
    ['ahead of', 90_000],
    ['behind', -90_000],
  ])('one upload for each address, and any newer address, with a gateway %s the edge', async (_, skewMs) => {
    const { json } = await service.v1('POST', '/collection', { body: { title: 'Skewed' } })
    const issue = async (seconds: number) => {
      service.clock.now = new Date(Date.now() + skewMs + 1000 * seconds)
      const { json: issued } = await service.v1('POST', `/collection/${json.collection_id}/cover`)
      service.clock.now = null
      return issued.collection_cover_upload.upload_url as string
    }
    try {
      const [first, second] = [await issue(1), await issue(2)]
      expect((await post(first, image)).status).toBe(200)
      expect((await post(first, image)).json.code).toBe('upload_completed')
      expect((await post(second, image)).status).toBe(200)
      expect((await post(first, image)).json.code).toBe('upload_completed')
      expect((await post(second, image)).json.code).toBe('upload_completed')
    } finally {
      service.clock.now = null
    }
  })

  test('after its hour 410, forged 403, other methods 405', async () => {
    const { url } = await newCover()
    const forged = url.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`)
    expect((await post(forged, image)).status).toBe(403)
    expect((await fetch(server.at(url), { method: 'PUT', body: image })).status).toBe(405)
    try {
      service.clock.now = new Date(Date.now() + 3_700_000)
      const late = await post(url, image)
      expect([late.status, late.json.code]).toEqual([410, 'expired'])
    } finally {
      service.clock.now = null
    }
  })

  test.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['HTML', '<!doctype html><title>x</title>'],
    ['PDF', '%PDF-1.7 and more bytes'],
    ['PostScript', '%!PS-Adobe-3.0 EPSF-3.0'],
    ['MVG', 'push graphic-context\nviewbox 0 0 640 480'],
    ['text', 'hello'],
    ['a signature that is cut off', '\x89PNG'],
    ['a signature after a space', ' \x89PNG\r\n\x1a\n and more bytes'],
  ])('%s is 400 before anything is stored, raw and in a form, and may be retried', async (_, text) => {
    const { id, url } = await newCover()
    const bytes = new Uint8Array(Buffer.from(text, 'latin1'))
    for (const body of [bytes, form(['file', bytes])]) {
      const answer = await post(url, body)
      expect([answer.status, answer.json.message]).toEqual([400, 'body: must be a JPEG, PNG, WebP or GIF picture'])
    }
    expect(await service.objects.unfinished()).toEqual([])
    expect((await service.services.db.collection.findUniqueOrThrow({ where: { id } })).coverUploadedAt).toBeNull()
    expect((await post(url, image)).status).toBe(200)
    expect(await stored(id)).toBe(sha256(image))
  })

  test('a picture whose first bytes arrive one by one is accepted', async () => {
    const { id, url } = await newCover()
    const body = new ReadableStream({
      start: (controller) => {
        for (const byte of image.subarray(0, 20)) controller.enqueue(new Uint8Array([byte]))
        controller.enqueue(image.subarray(20))
        controller.close()
      },
    })
    expect((await service.edge(new Request(url, { method: 'POST', body }))).status).toBe(200)
    expect(await stored(id)).toBe(sha256(image))
  })

  test('larger than the limit is 413, raw and in a form', async () => {
    const { url } = await newCover()
    const large = createPicture(MAX_COVER_BYTES + 1)
    const asForm = await post(url, form(['file', large]))
    expect([asForm.status, asForm.json.code]).toEqual([413, 'too_large'])
    expect((await post(url, large)).status).toBe(413)
    expect((await post(url, image)).status).toBe(200)
  })

  test('a form that declares far more than the limit is rejected before it is read into memory', async () => {
    const { url } = await newCover()
    const socket = await open(server.port)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.write(
      [
        `POST ${target(url)} HTTP/1.1`,
        'Host: edge.test',
        'Content-Type: multipart/form-data; boundary=b',
        `Content-Length: ${5 * MAX_COVER_BYTES}`,
        '',
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n',
      ].join('\r\n'),
    )
    await until('the answer', 20_000, () => answer.length > 0)
    socket.destroy()
    expect(answer).toStartWith('HTTP/1.1 413')
  })

  test('nothing remains of a form that is refused after its file', async () => {
    const { url } = await newCover()
    expect((await post(url, form(['a', image], ['b', image]))).status).toBe(400)
    expect(await service.objects.unfinished()).toEqual([])
  })

  test('bodies beyond the share of an organization are 503 with Retry-After, while files are delivered', async () => {
    const edge = createEdge(service.services, { total: 2 << 20, most: 1 << 20 })
    const [slowCover, other] = [await newCover(), await newCover()]
    const begun = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(Uint8Array.from(image))
        begun.resolve()
        await finish.promise
        controller.close()
      },
    })
    const send = (url: string, content: BodyInit) => edge(new Request(url, { method: 'POST', body: content }))
    const first = send(slowCover.url, body)
    await begun.promise
    const refused = await send(other.url, image)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(((await refused.json()) as Json).code).toBe('unavailable')
    expect((await edge(new Request(new URL('/nothing', other.url)))).status).toBe(403)
    finish.resolve()
    expect((await first).status).toBe(200)
    expect((await send(other.url, image)).status).toBe(200)
  })
})
