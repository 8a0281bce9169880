import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { fileOfForm } from '../../../src/roles/edge/form.ts'
import { paced } from '../../../src/roles/edge/receive.ts'

const TYPE = 'multipart/form-data; boundary=b'
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png'
const FIELD = 'Content-Disposition: form-data; name="title"'
const part = (head: string, content: Uint8Array | string) =>
  Buffer.concat([Buffer.from(`--b\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')])
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--b--\r\n')])

async function* inChunks(body: Uint8Array, size: number) {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}
const read = async (body: Uint8Array, size = 16_384, type = TYPE) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of fileOfForm(type, inChunks(body, size))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('the file of a form', () => {
  const noise = randomBytes(5000)
  const lookAlikes = Buffer.from('\r\n--\r\n--a\r\n-b--\r\r\n--\r\n\r\n--c--\r\n')
  const contents: [what: string, content: Buffer][] = [
    ['noise', noise],
    ['what looks like the boundary', lookAlikes],
    ['nothing', Buffer.alloc(0)],
    ['a line break at its end', Buffer.from('x\r\n')],
  ]
  test.each(contents)('%s, however it is cut', async (_, content) => {
    const body = form(part(FIELD, 'before'), part(FILE, content), part(FIELD, 'after'))
    for (const size of [1, 2, 3, 7, 64, 1000, body.length])
      expect((await read(body, size)).toString('hex'), `${size} bytes`).toBe(content.toString('hex'))
  })

  test('a boundary in quotes, and text around the form', async () => {
    const body = Buffer.concat([Buffer.from('preamble\r\n'), form(part(FILE, 'x')), Buffer.from('epilogue')])
    expect(String(await read(body, 5, 'multipart/form-data; boundary="b"'))).toBe('x')
  })

  const refused: [what: string, body: Buffer, type?: string][] = [
    ['no part', form()],
    ['no file', form(part(FIELD, 'x'))],
    ['two files', form(part(FILE, 'x'), part(FILE, 'y'))],
    ['an end within the file', form(part(FILE, noise)).subarray(0, 2000)],
    ['an end within a header', Buffer.from('--b\r\nContent-Dispos')],
    ['an end before the last boundary', part(FILE, 'x')],
    ['another boundary', form(part(FILE, 'x')), 'multipart/form-data; boundary=c'],
    ['no boundary', form(part(FILE, 'x')), 'multipart/form-data'],
    ['no form', Buffer.from('x')],
    ['nothing', Buffer.alloc(0)],
  ]
  test.each(refused)('is refused with invalid_input: %s', async (_, body, type) => {
    for (const size of [1, 50, 100_000]) {
      const error = await read(body, size, type).catch((thrown) => thrown)
      expect([size, error.code]).toEqual([size, 'invalid_input'])
    }
  })

  test('an error of the body is passed on as it is', async () => {
    const lost = new DOMException('The connection was closed.', 'AbortError')
    async function* body() {
      yield form(part(FILE, noise)).subarray(0, 1000)
      throw lost
    }
    const chunks = fileOfForm(TYPE, body())
    const drain = async () => {
      for await (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(1000)
    }
    expect(await drain().catch((thrown) => thrown)).toBe(lost)
  })

  test('is read no faster than it is taken, and the body ends with its reader', async () => {
    const piece = new Uint8Array(65_536)
    let pulled = 0
    let isEnded = false
    async function* body() {
      try {
        yield part(FILE, '').subarray(0, -2)
        for (; pulled < 1000; pulled++) yield piece
      } finally {
        isEnded = true
      }
    }
    const chunks = fileOfForm(TYPE, body())
    expect((await chunks.next()).done).toBe(false)
    // Many turns, in which a parser without a bound would read all of it.
    for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(pulled).toBeLessThan(32)
    await chunks.return(undefined)
    for (let turn = 0; turn < 500 && !isEnded; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(isEnded).toBe(true)
  })
})

describe('the lowest rate of a body', () => {
  /** Passes chunks of a number of bytes on, one in each interval of milliseconds. */
  async function send(bytes: number, everyMs: number, count: number): Promise<number> {
    let now = 1_000_000
    async function* chunks() {
      for (let sent = 0; sent < count; sent++) {
        now += everyMs
        yield new Uint8Array(bytes)
      }
    }
    let passed = 0
    for await (const chunk of paced(chunks(), () => now)) passed += chunk.length
    return passed
  }

  test.each([
    { what: '16 KiB per second', bytes: 16_384, everyMs: 1000, count: 200 },
    { what: 'one byte, within the first minute', bytes: 1, everyMs: 60_000, count: 1 },
    { what: 'a fast beginning and a pause', bytes: 1_638_400, everyMs: 100_000, count: 1 },
  ])('allows $what', async ({ bytes, everyMs, count }) => {
    expect(await send(bytes, everyMs, count)).toBe(bytes * count)
  })

  test.each([
    { what: 'a byte less per second', bytes: 16_383, everyMs: 1000, count: 61 },
    { what: 'a byte every 119 seconds', bytes: 1, everyMs: 119_000, count: 1 },
  ])('refuses $what', async ({ bytes, everyMs, count }) => {
    const error = await send(bytes, everyMs, count).catch((thrown) => thrown)
    expect([error.code, error.message]).toEqual(['invalid_input', expect.stringContaining('16384 bytes per second')])
  })
})
