import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { createLargeAnswers, MAX_UNREAD, writeJson } from '../../../src/platform/http/large-answer.ts'
import { until } from '../../support/until.ts'

const PIECE = 64 << 10
const pieces = (bytes: number) => {
  const all = Buffer.alloc(bytes, 'x')
  return Array.from({ length: Math.ceil(bytes / PIECE) }, (_, at) => all.subarray(at * PIECE, (at + 1) * PIECE))
}
const LARGE = 8 << 20

describe('writeJson', () => {
  const long = {
    text: 'ä'.repeat(200_000),
    list: Array.from({ length: 5000 }, (_, n) => ({ n, none: undefined, at: new Date(n) })),
  }
  test.each<[string, unknown]>([
    ['a small object', { a: [1, 'b', null, { c: true }] }],
    ['an empty object and an empty list', { a: {}, b: [] }],
    ['long texts, many values and times', long],
    ['missing values of a long list', [...Array<number>(600).fill(1), undefined]],
    ['a text', 'x'],
  ])('writes what JSON.stringify writes: %s', async (_, value) => {
    const written = await writeJson(value, () => true)
    expect(Buffer.concat(written ?? []).toString()).toBe(JSON.stringify(value))
  })

  test('writes a long value in several pieces, and ends when it may not have more', async () => {
    let bytes = 0
    const isWithin = (count: number) => {
      bytes += count
      return bytes < 100_000
    }
    expect(await writeJson(long, isWithin)).toBeNull()
    expect(bytes).toBeWithin(100_000, 600_000)
  })
})

describe('body', () => {
  let answers: ReturnType<typeof createLargeAnswers>
  let server: Bun.Server<undefined>
  let sockets: Socket[]
  beforeEach(() => {
    sockets = []
    serve()
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await server.stop(true)
  })
  function serve(options?: Parameters<typeof createLargeAnswers>[0]) {
    answers = createLargeAnswers(options)
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const url = new URL(request.url)
        try {
          return new Response(answers.body(pieces(Number(url.searchParams.get('bytes'))), url.pathname))
        } catch (error) {
          return new Response((error as Error).message, { status: 503 })
        }
      },
    })
  }
  const read = (organization: string, bytes: number) => fetch(`${server.url}${organization}?bytes=${bytes}`)
  /** Opens connections that read nothing. */
  async function ignore(organization: string, count: number) {
    const before = answers.unread
    for (let opened = 0; opened < count; opened++) {
      const socket = connect(server.port ?? 0, '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => {})
      socket.pause()
      socket.write(`GET /${organization}?bytes=${LARGE} HTTP/1.1\r\nHost: a\r\n\r\n`)
    }
    await until('the answers to begin', 10_000, () => answers.unread === before + count)
  }

  test('an answer of 1 MiB is sent at once, a longer one at the pace of its reader', async () => {
    const small = await read('a', 1 << 20)
    expect(small.headers.get('content-length')).toBe(String(1 << 20))
    const large = await read('a', LARGE)
    expect(large.headers.has('content-length')).toBe(false)
    expect((await large.bytes()).byteLength).toBe(LARGE)
    expect(answers.unread).toBe(0)
  })

  test('an organization has at most 8 that were not read, while others get theirs', async () => {
    await ignore('a', MAX_UNREAD.organization)
    const refused = await read('a', LARGE)
    expect([refused.status, await refused.text()]).toEqual([
      503,
      'The organization has 8 large answers that its clients have not read. Read them, then try again.',
    ])
    expect((await (await read('a', 1000)).bytes()).byteLength).toBe(1000)
    expect((await (await read('b', LARGE)).bytes()).byteLength).toBe(LARGE)
    sockets.shift()?.destroy()
    await until('the place of a client that left', 10_000, () => answers.unread === MAX_UNREAD.organization - 1)
    expect((await (await read('a', LARGE)).bytes()).byteLength).toBe(LARGE)
  })

  test('a process has at most 64', async () => {
    for (let organization = 0; organization < 8; organization++) await ignore(`o${organization}`, 8)
    expect((await read('another', LARGE)).status).toBe(503)
  })

  test('the answer to a client that reads nothing ends before it is complete', async () => {
    await server.stop(true)
    serve({ stallMs: 300 })
    const socket = connect(server.port ?? 0, '127.0.0.1')
    sockets.push(socket)
    socket.pause()
    socket.write(`GET /a?bytes=${4 * LARGE} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    await until('the answer to begin', 10_000, () => answers.unread === 1)
    await until('the answer to end', 10_000, () => answers.unread === 0)
    socket.resume()
    await new Promise((resolve) => socket.once('close', resolve))
    expect(socket.bytesRead).toBeLessThan(4 * LARGE)
  })
})
