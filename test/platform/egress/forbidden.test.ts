// Guarded requests: what is never connected to, however it is written or resolved (contract, section 7).
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:net'
import {
  EgressError,
  type GuardedRequest,
  guardedRequest,
  type Network,
} from '../../../src/platform/egress/guarded-request.ts'

/** Counts connections. */
let server: Server
let port: number
let connections = 0
beforeAll(async () => {
  server = createServer((socket) => {
    connections++
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  port = (server.address() as { port: number }).port
})
afterAll(() => server.close())
afterEach(() => {
  connections = 0
})

const at = (...addresses: string[]) => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
const always = (...addresses: string[]): Network => ({ resolve: async () => at(...addresses) })
const LOOPBACK = always('127.0.0.1')

async function failure(address: string, options: Partial<GuardedRequest>, network: Network): Promise<string> {
  try {
    const common = { maxBytes: 20_000, timeoutMs: 2000, allowPrivate: false }
    const { body } = await guardedRequest(address, { ...common, ...options }, network)
    for await (const _ of body);
    return 'none'
  } catch (error) {
    return error instanceof EgressError ? error.code : String(error)
  }
}

describe('no connection', () => {
  // IPv4 as it may be written: whole, short, octal, hexadecimal, one number, with a dot at its end, in other digits.
  const literals = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '127.255.255.254',
    '%31%32%37.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '0x0',
    '10.0.0.1',
    '10.1',
    '167772161',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.0.1',
    '192.168.257',
    '0xc0a80001',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.1.1',
    '100.64.0.1',
    '100.127.255.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2002:c0a8:1::1]',
    '[2001:0:7f00:1::]',
    '[2001::1]',
    '[fe80::1]',
    '[fe80::1%25eth0]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[100::1]',
    '[5f00::1]',
    '[4000::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'localhost.localdomain',
    'printer.local',
    'router.home.arpa',
    'metadata.google.internal',
    'host.docker.internal',
    'metadata',
    'postgres',
    'user@hooks.example.com',
    'user:word@hooks.example.com',
    ':word@hooks.example.com',
    '127.0.0.1%00.example.com',
    '[::1',
    'a b.example.com',
  ]
  test(`to any of ${literals.length} hosts in an address`, async () => {
    expect(literals.length).toBeGreaterThan(80)
    // Names lead to the public internet here: they are refused for what they are.
    const network = always('93.184.216.34')
    const results = await Promise.all(
      literals.map(async (host) => [host, await failure(`https://${host}:${port}/ok`, {}, network)]),
    )
    expect(results.filter(([, code]) => code !== 'forbidden_address')).toEqual([])
    expect(connections).toBe(0)
  })

  const resolved = [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fd00::1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::'],
    ['fe80::1%eth0'],
    ['::ffff:7f00:1%lo'],
    ['0.0.0.0'],
    ['not an address'],
    ['93.184.216.34', '127.0.0.1'],
    ['2606:4700::1111', '::1'],
    ['127.0.0.1', '93.184.216.34'],
  ]
  test(`to any name of ${resolved.length} with at least one private address`, async () => {
    const results = await Promise.all(
      resolved.map(async (addresses) => [
        addresses.join(),
        await failure(`https://hooks.example.com:${port}/ok`, {}, always(...addresses)),
      ]),
    )
    expect(results.filter(([, code]) => code !== 'forbidden_address')).toEqual([])
    expect(connections).toBe(0)
  })

  test('by anything but https, and over http only if allowed', async () => {
    const network = always('93.184.216.34')
    for (const scheme of ['http', 'ftp', 'file', 'ws', 'gopher', 'javascript', 'data']) {
      expect(await failure(`${scheme}://hooks.example.com/`, {}, network), scheme).toBe('forbidden_address')
    }
    for (const address of ['ftp://hooks.test/', 'file:///etc/passwd', 'hooks.test', '', 'http://a@hooks.test/']) {
      expect(await failure(address, { allowPrivate: true }, LOOPBACK), address).toBe('forbidden_address')
    }
    expect(connections).toBe(0)
  })

  test('to a changed address of a name: it is resolved once, and the first answer is used', async () => {
    let lookups = 0
    // 203.0.113/24 would be refused; this one is public, and nothing listens there that this machine could reach.
    const resolve = async () => at(lookups++ === 0 ? '93.184.216.34' : '127.0.0.1')
    const options = { connectTimeoutMs: 50 }
    const code = await failure(`https://rebind.example.com:${port}/ok`, options, { resolve })
    expect(['timed_out', 'unreachable']).toContain(code)
    expect([lookups, connections]).toEqual([1, 0])
    lookups = 0
    const twice = async () => at(lookups++ === 0 ? '127.0.0.1' : '127.0.0.2')
    expect(await failure(`http://rebind.test:${port}/`, { allowPrivate: true }, { resolve: twice })).toBe('none')
    expect([lookups, connections]).toEqual([1, 1])
  })
})
