// Guarded requests: what is sent, over which connection, and what an answer may do.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import {
  EgressError,
  type GuardedRequest,
  guardedRequest,
  type Network,
} from '../../../src/platform/egress/guarded-request.ts'
import { certificate } from '../../support/certificate.ts'

/** Answers every request as its path names, and counts connections. */
let server: Server
let port: number
let connections = 0
let requests: string[] = []
const open = new Set<Socket>()
const answers: Record<string, (socket: Socket) => void> = {
  ok: (socket) => socket.end('HTTP/1.1 200 OK\r\nX-Kind: plain\r\nContent-Length: 2\r\n\r\nok'),
  never: () => {},
  gzip: (socket) => {
    const body = gzipSync(Buffer.alloc(1_000_000, 'a'))
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.end(body)
  },
  endless: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'b'))) {}
    }
    socket.on('drain', more)
    more()
  },
  stall: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
  cut: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
  garbage: (socket) => socket.end('220 mail.example.com ESMTP\r\n'),
  away: (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n'),
  elsewhere: (socket) =>
    socket.end(`HTTP/1.1 307 There\r\nLocation: http://second.test:${port}/ok\r\nContent-Length: 0\r\n\r\n`),
  inside: (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: ftp://second.test/\r\nContent-Length: 0\r\n\r\n'),
  loop: (socket) => socket.end('HTTP/1.1 301 Again\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n'),
}
beforeAll(async () => {
  server = createServer((socket) => {
    connections++
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    socket.once('data', (head) => {
      requests.push(head.toString())
      answers[/^\w+ \/(\w*)/.exec(head.toString())?.[1] ?? '']?.(socket)
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  port = (server.address() as { port: number }).port
})
afterAll(() => server.close())
afterEach(() => {
  connections = 0
  requests = []
})

const at = (...addresses: string[]) => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
const always = (...addresses: string[]): Network => ({ resolve: async () => at(...addresses) })
const LOOPBACK = always('127.0.0.1')
const common: GuardedRequest = { maxBytes: 20_000, timeoutMs: 2000, allowPrivate: false }

async function failure(address: string, options: Partial<GuardedRequest>, network: Network): Promise<string> {
  try {
    const { body } = await guardedRequest(address, { ...common, ...options }, network)
    for await (const _ of body);
    return 'none'
  } catch (error) {
    return error instanceof EgressError ? error.code : String(error)
  }
}

async function fetched(path: string, options: Partial<GuardedRequest> = {}, network = LOOPBACK) {
  const answer = await guardedRequest(
    `http://hooks.test:${port}/${path}`,
    { ...common, allowPrivate: true, ...options },
    network,
  )
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body) chunks.push(chunk)
  return { ...answer, text: Buffer.concat(chunks).toString('latin1') }
}

describe('a request', () => {
  test('connects to the resolved address with the name as Host, without extra headers', async () => {
    const body = '{"sound":"Sóng"}'
    const headers = { 'Content-Type': 'application/json', Host: 'other.test', Connection: 'keep-alive' }
    const answer = await fetched('ok?a=%20b', { method: 'POST', body, headers })
    expect([answer.status, answer.text, answer.headers['x-kind']]).toEqual([200, 'ok', 'plain'])
    const [head = '', sent] = requests[0]?.split('\r\n\r\n') ?? []
    const lines = head.split('\r\n')
    expect([lines[0], sent]).toEqual(['POST /ok?a=%20b HTTP/1.1', body])
    expect(
      lines
        .slice(1)
        .map((line) => line.toLowerCase())
        .sort(),
    ).toEqual(['connection: close', 'content-length: 17', 'content-type: application/json', `host: hooks.test:${port}`])
  })

  test('ignores the proxies of the environment', async () => {
    const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy']
    const before = names.map((name) => process.env[name])
    try {
      for (const name of names) process.env[name] = 'http://127.0.0.1:1'
      expect((await fetched('ok')).text).toBe('ok')
    } finally {
      for (const [place, name] of names.entries()) {
        if (before[place] === undefined) delete process.env[name]
        else process.env[name] = before[place]
      }
    }
  })

  test('is not decompressed, and is read up to the limit', async () => {
    const { text, headers } = await fetched('gzip')
    expect([headers['content-encoding'], text.length]).toEqual(['gzip', Number(headers['content-length'])])
    const endless = await guardedRequest(
      `http://hooks.test:${port}/endless`,
      { ...common, allowPrivate: true },
      LOOPBACK,
    )
    let count = 0
    const reading = (async () => {
      for await (const chunk of endless.body) count += chunk.length
    })()
    await expect(reading).rejects.toMatchObject({ code: 'too_large' })
    expect(count).toBe(20_000)
    expect(await failure(`http://hooks.test:${port}/endless`, { allowPrivate: true }, LOOPBACK)).toBe('too_large')
  })

  test.each([
    { path: 'never', options: { timeoutMs: 80 }, code: 'timed_out' },
    { path: 'stall', options: { timeoutMs: 80 }, code: 'timed_out' },
    { path: 'stall', options: { idleTimeoutMs: 80 }, code: 'timed_out' },
    { path: 'cut', options: {}, code: 'broken_answer' },
    { path: 'garbage', options: {}, code: 'broken_answer' },
    { path: 'away', options: { redirects: 0 }, code: 'none' },
  ])('$path with $options ends with $code', async ({ path, options, code }) => {
    const address = `http://hooks.test:${port}/${path}`
    expect(await failure(address, { allowPrivate: true, ...options }, LOOPBACK)).toBe(code)
    expect(connections).toBe(1)
  })

  test('no listener, an unknown name, a resolver that never answers', async () => {
    const options = { allowPrivate: true, timeoutMs: 80 }
    expect(await failure('http://hooks.test:1/', options, LOOPBACK)).toBe('unreachable')
    const none = { resolve: () => Promise.reject(new Error('ENOTFOUND')) }
    expect(await failure('http://hooks.test/', options, none)).toBe('unresolvable')
    expect(await failure('http://hooks.test/', options, always())).toBe('unresolvable')
    const silent = { resolve: () => new Promise<never>(() => {}) }
    expect(await failure('http://hooks.test/', options, silent)).toBe('timed_out')
  })

  test('ends immediately on abort, before and while the body is read', async () => {
    for (const path of ['never', 'stall']) {
      const control = new AbortController()
      const reading = fetched(path, { signal: control.signal })
      setTimeout(() => control.abort(new Error('enough')), 30)
      await expect(reading).rejects.toThrow('enough')
    }
    expect(await fetched('ok', { signal: AbortSignal.abort(new Error('before')) }).catch(String)).toBe('Error: before')
    expect(connections).toBe(2)
  })

  test('an unread answer is closed at the deadline', async () => {
    const answer = await guardedRequest(
      `http://hooks.test:${port}/endless`,
      { ...common, timeoutMs: 100, allowPrivate: true },
      LOOPBACK,
    )
    expect(answer.status).toBe(200)
    const closed = Promise.all([...open].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    await closed
    await expect(Array.fromAsync(answer.body)).rejects.toMatchObject({ code: 'timed_out' })
  })
})

test('over TLS the name is in SNI and must match a trusted certificate', async () => {
  const names: unknown[] = []
  const secure = createTlsServer({
    ...certificate,
    SNICallback: (name, done) => {
      names.push(name)
      done(null)
    },
  })
  secure
    .on('tlsClientError', () => {})
    .on('secureConnection', (socket) => {
      socket.on('error', () => {}).once('data', () => answers.ok?.(socket))
    })
  const { promise, resolve } = Promise.withResolvers<void>()
  secure.listen(0, '127.0.0.1', resolve)
  await promise
  const ports = { secure: (secure.address() as { port: number }).port, plain: port }
  const options = { allowPrivate: true, timeoutMs: 2000, connectTimeoutMs: 200 }
  const trusting = { ...LOOPBACK, ca: certificate.cert }
  const code = (host: string, network: Network) => failure(`https://${host}/ok`, options, network)
  expect(await code(`hooks.example.com:${ports.secure}`, trusting)).toBe('none')
  expect(await code(`hooks.example.com.:${ports.secure}`, trusting)).toBe('none')
  expect(await code(`other.example.com:${ports.secure}`, trusting)).toBe('tls_failed')
  expect(await code(`hooks.example.com:${ports.secure}`, LOOPBACK)).toBe('tls_failed')
  expect(await code(`127.0.0.1:${ports.secure}`, trusting)).toBe('tls_failed')
  // A plain server waits for a request and does not answer a handshake.
  expect(['timed_out', 'tls_failed']).toContain(await code(`hooks.example.com:${ports.plain}`, trusting))
  expect(new Set(names)).toEqual(new Set(['hooks.example.com', 'other.example.com']))
  secure.close()
})

describe('redirects', () => {
  test('are followed only on request, and never for a POST', async () => {
    expect((await fetched('away')).status).toBe(302)
    expect((await fetched('away', { method: 'POST', body: '', redirects: 3 })).status).toBe(302)
    expect(requests).toHaveLength(2)
  })

  test('each is checked and resolved again; credentials are only sent to the first host', async () => {
    const names: string[] = []
    const resolve = async (name: string) => {
      names.push(name)
      return at('127.0.0.1')
    }
    const headers = { Authorization: 'Bearer x', 'X-Other': 'y' }
    const answer = await fetched('elsewhere', { redirects: 1, headers }, { resolve })
    expect([answer.text, answer.url, names]).toEqual([
      'ok',
      `http://second.test:${port}/ok`,
      ['hooks.test', 'second.test'],
    ])
    expect(requests.map((head) => /authorization/i.test(head))).toEqual([true, false])
    expect(requests[1]).toMatch(/x-other: y/i)
    expect((await fetched('away', { redirects: 1, headers })).text).toBe('ok')
    expect(requests.at(-1)).toMatch(/authorization/i)
  })

  test('are subject to the same rules as addresses', async () => {
    const options = { allowPrivate: true, redirects: 3 }
    expect(await failure(`http://hooks.test:${port}/inside`, options, LOOPBACK)).toBe('forbidden_address')
    expect(await failure(`http://hooks.test:${port}/loop`, options, LOOPBACK)).toBe('too_many_redirects')
    expect(connections).toBe(5)
  })
})
