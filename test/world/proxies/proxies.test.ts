// The proxies of the guide "Run in production" in front of a service: TLS, uploads, streams, addresses of clients, limits.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { closeSync, ftruncateSync, openSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import {
  cleanUp,
  createPlace,
  createTrack,
  type Place,
  type ServiceProcess,
  startProcess,
} from '../../faults/process.ts'
import { tone } from '../../support/audio.ts'
import { until } from '../../support/until.ts'
import { hosts, proxies, type TlsProxy, writtenBytes } from './programs.ts'

setDefaultTimeout(120_000)

const MAX_UPLOAD_BYTES = 2 ** 31
const uploadBytes = { nginx: MAX_UPLOAD_BYTES, HAProxy: 2 ** 28, Caddy: 2 ** 28 }

let place: Place
let service: ServiceProcess
beforeAll(async () => {
  place = await createPlace({
    PUBLIC_URL: `https://${hosts.api}`,
    EDGE_URL: `https://${hosts.upload}`,
    DELIVERY_URL: 'https://{org_domain}',
    RATE_LIMITS: 'on',
    TRUSTED_PROXIES: '1',
  })
  service = await startProcess(place)
  const signIn =
    'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { token } }'
  const { token } = (await operate(signIn, service.credentials.admin)).signIn
  const change =
    'mutation ($id: ID!, $domain: String!) { updateOrganizationDomain(id: $id, domain: $domain) { __typename } }'
  await operate(change, { id: service.credentials.organization_id, domain: hosts.files }, token)
})
afterAll(() => cleanUp(place))

async function operate(query: string, variables: object, token?: string) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const init = { method: 'POST', headers, body: JSON.stringify({ query, variables }) }
  const { data, errors } = await (await fetch(`${service.url}/graphql`, init)).json()
  expect(errors).toBeUndefined()
  return data
}

/** Sends text to a port as it is. @returns the answer */
function sendText(port: string | undefined, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let answer = ''
  connect(Number(port), '127.0.0.1')
    .on('data', (chunk) => {
      answer += chunk
    })
    .on('end', () => resolve(answer))
    .on('error', reject)
    .write(text)
  return promise
}

test('the default check of HAProxy, HTTP/1.0 without a Host, finds gateway and edge', async () => {
  for (const port of [place.env.PORT, place.env.EDGE_PORT]) {
    expect(await sendText(port, 'OPTIONS / HTTP/1.0\r\n\r\n')).toStartWith('HTTP/1.1 204 ')
  }
})

describe.each(Object.entries(proxies))('%s', (name, { isInstalled, start }) => {
  describe.skipIf(!isInstalled)(
    isInstalled ? 'in front of a service' : `is missing (Debian: ${name.toLowerCase()})`,
    () => {
      let proxy: TlsProxy
      beforeAll(async () => {
        proxy = await start({ gateway: place.env.PORT ?? '', edge: place.env.EDGE_PORT ?? '' })
      })
      afterAll(() => proxy?.stop())

      const address = (host: string, path = '') => `https://${host}:${proxy.port}${path}`
      const tls = () => ({ ca: Bun.file(proxy.ca) })
      /** The address of an upload at this proxy. */
      const through = (uploadUrl: string) => {
        const { pathname, search } = new URL(uploadUrl)
        return address(hosts.upload, pathname + search)
      }

      /** Runs curl. @returns its standard output */
      async function curl(...args: string[]): Promise<string> {
        const command = ['curl', '--silent', '--show-error', '--cacert', proxy.ca, ...args]
        const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
        const [stdout, stderr] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ])
        if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
        return stdout
      }
      const quiet = ['--output', '/dev/null', '--write-out']

      /** Creates a file of this length that occupies no space. */
      function createSparseFile(bytes: number): string {
        const path = join(place.folder, `${name}-${bytes}`)
        const file = openSync(path, 'w')
        ftruncateSync(file, bytes)
        closeSync(file)
        return path
      }

      test('answers all hosts by TLS and HTTP/2, and redirects http', async () => {
        const format = '%{http_version} %{ssl_verify_result} %{http_code}'
        expect(await curl(...quiet, format, address(hosts.api, '/health/live'))).toBe('2 0 200')
        expect(await curl(...quiet, format, address(hosts.upload, '/upload/x'))).toBe('2 0 405')
        expect(await curl(...quiet, format, address(hosts.files, '/x'))).toBe('2 0 403')
        const plain = `http://${hosts.api}:${proxy.httpPort}/v1/track`
        expect(await curl(...quiet, '%{http_code} %{redirect_url}', plain)).toMatch(
          /^30[18] https:\/\/api\.localhost(:\d+)?\/v1\/track$/,
        )
      })

      test('passes a large upload on while it arrives', async () => {
        const size = uploadBytes[name as keyof typeof uploadBytes]
        const { id, uploadUrl } = await createTrack(service)
        const before = writtenBytes(proxy.pids())
        const answer = await curl('--upload-file', createSparseFile(size), through(uploadUrl))
        expect(JSON.parse(answer)).toMatchObject({ ok: true, size })
        expect(writtenBytes(proxy.pids()) - before).toBeLessThan(4 << 20)
        expect((await service.v1('DELETE', `/track/${id}`)).status).toBe(200)
      })

      test.each(['--http1.1', '--http2'])('lets the edge refuse one byte too many, by %s', async (version) => {
        const { id, uploadUrl } = await createTrack(service)
        const file = createSparseFile(MAX_UPLOAD_BYTES + 1)
        const refuse = () =>
          curl(
            version,
            ...['--header', 'Expect:', '--write-out', '\n%{http_code}', '--upload-file', file, through(uploadUrl)],
          )
        // The edge ends the connection while the proxy still sends the body. Now and then Caddy loses the end of the answer,
        // or HAProxy sends a page of its own, and a client sends again.
        const answer = await until('an answer of the edge', 20_000, async () => {
          const [body = '', status] = (await refuse().catch(() => '')).split('\n')
          return body.startsWith('{') && [status, JSON.parse(body)]
        })
        expect(answer).toMatchObject(['413', { ok: false, code: 'too_large' }])
        expect((await service.v1('DELETE', `/track/${id}`)).status).toBe(200)
      })

      test.each(['--http1.1', '--http2'])('lets the gateway refuse one byte too many, by %s', async (version) => {
        const headers = [`authorization: Bearer ${service.credentials.api_key}`, 'content-type: application/json']
        const args = headers.flatMap((header) => ['--header', header])
        const file = `@${createSparseFile(2 ** 20 + 1)}`
        for (const framing of [[], ['--header', 'transfer-encoding: chunked']]) {
          // HTTP/2 has no chunks.
          if (version === '--http2' && framing.length > 0) continue
          const request = [version, ...args, ...framing, '--data-binary', file, address(hosts.api, '/v1/track')]
          const [body, status] = (await curl('--write-out', '\n%{http_code}', ...request)).split('\n')
          expect([status, JSON.parse(body ?? '')]).toMatchObject(['413', { ok: false, code: 'too_large' }])
        }
      })

      test('an upload by tus continues after a connection broke', async () => {
        const { id, uploadUrl } = await createTrack(service)
        const url = through(uploadUrl)
        const sound = await tone(20)
        const common = { 'tus-resumable': '1.0.0' }
        const created = await fetch(url, {
          method: 'POST',
          tls: tls(),
          headers: { ...common, 'upload-length': String(sound.byteLength) },
        })
        expect(created.status).toBe(201)
        const part = Bun.file(join(place.env.DATA_DIR ?? '', 'storage/.incoming', `${id}.part`))
        await sendPart(url, sound, () =>
          until(
            'the first bytes to reach the storage',
            20_000,
            async () => (await part.exists()) && (await part.stat()).size > 2 ** 20,
          ),
        )
        const readOffset = async () => {
          const { headers } = await fetch(url, { method: 'HEAD', tls: tls(), headers: common })
          return Number(headers.get('upload-offset'))
        }
        expect(await until('the edge to notice the end', 20_000, readOffset)).toBeLessThan(sound.byteLength)
        // As clients of tus do. While the edge writes the first part, it refuses the next without reading it, so that the
        // connection may end before the client has read the answer.
        const rest = await until('the rest to be accepted', 20_000, async () => {
          const offset = await readOffset()
          const response = await fetch(url, {
            method: 'PATCH',
            tls: tls(),
            body: sound.slice(offset),
            headers: { ...common, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
          }).catch(() => null)
          return response?.status === 204 && response
        })
        expect(rest.headers.get('x-checksum-sha256')).toBe(createHash('sha256').update(sound).digest('hex'))
        expect((await service.v1('DELETE', `/track/${id}`)).status).toBe(200)
      })

      /** Sends the first half of a PATCH, and closes the connection when `hasArrived` ends. */
      async function sendPart(url: string, whole: Uint8Array, hasArrived: () => Promise<unknown>): Promise<void> {
        const { hostname, pathname, search } = new URL(url)
        const socket = connectTls({
          host: '127.0.0.1',
          port: proxy.port,
          servername: hostname,
          ca: await tls().ca.text(),
        })
        await new Promise((resolve, reject) => socket.on('secureConnect', resolve).on('error', reject))
        const lines = [
          `PATCH ${pathname}${search} HTTP/1.1`,
          `Host: ${hostname}`,
          'Tus-Resumable: 1.0.0',
          'Upload-Offset: 0',
          'Content-Type: application/offset+octet-stream',
          `Content-Length: ${whole.byteLength}`,
        ]
        socket.write(`${lines.join('\r\n')}\r\n\r\n`)
        socket.write(whole.slice(0, whole.byteLength / 2))
        await hasArrived()
        await new Promise<void>((resolve) => socket.on('close', resolve).destroy())
      }

      /** Reads events until one matches. The stream has no end: a proxy that gathers an answer would never pass it on. */
      async function readUntil(response: Response, pattern: RegExp): Promise<string> {
        expect(response.headers.get('content-type')).toStartWith('text/event-stream')
        let text = ''
        const decoder = new TextDecoder()
        for await (const chunk of response.body ?? []) {
          text += decoder.decode(chunk, { stream: true })
          if (pattern.test(text)) return text
        }
        throw new Error(`the stream ended: ${text}`)
      }

      /** Opens an upload session with one track. */
      async function openSession() {
        const body = { collection_id: service.credentials.collection_id, track: { file_name: 'tone.wav' } }
        const { json } = await service.v1('POST', '/upload_session', body)
        return { id: json.upload_session_id as string, uploadUrl: json.track_upload.upload_url as string }
      }

      test('the events of an upload session arrive as they happen', async () => {
        const { id, uploadUrl } = await openSession()
        const stream = await fetch(address(hosts.api, `/v1/upload_session/${id}/events`), { tls: tls() })
        const change = readUntil(stream, /"track_status_id":"(?!initialized)/)
        await upload(uploadUrl)
        expect(await change).toContain('"track_status_id":"initialized"')
      })

      test('a subscription of GraphQL delivers as it happens', async () => {
        const { id, uploadUrl } = await openSession()
        const query = 'subscription ($id: ID!) { uploadSessionChanged(id: $id) { status } }'
        const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
        const body = JSON.stringify({ query, variables: { id } })
        const stream = await fetch(address(hosts.api, '/graphql'), { method: 'POST', headers, body, tls: tls() })
        const change = readUntil(stream, /"status":"(?!INITIALIZED)/)
        await upload(uploadUrl)
        expect(await change).toContain('"status":"INITIALIZED"')
      })

      async function upload(uploadUrl: string): Promise<void> {
        const body = new Blob([await tone(3)])
        expect((await fetch(through(uploadUrl), { method: 'PUT', body, tls: tls() })).status).toBe(200)
      }

      test('counts requests by the address of the client, also of one that forges X-Forwarded-For', async () => {
        // Each proxy passes other clients on.
        const [limited, other] = [1, 2].map((host) => `127.0.${Object.keys(proxies).indexOf(name) + 1}.${host}`)
        const from = (client: string | undefined, ...args: string[]) =>
          curl('-4', '--interface', client ?? '', ...quiet, '%{http_code}\n', ...args)
        const flood = await from(
          limited,
          '--header',
          'authorization: Bearer x',
          address(hosts.api, '/v1/creator?x=[1-620]'),
        )
        expect(flood.split('\n').filter((status) => status === '401').length).toBeWithin(590, 611)
        const single = address(hosts.api, '/v1/creator')
        expect(await from(limited, single)).toBe('429\n')
        expect(await from(limited, '--header', 'x-forwarded-for: 192.0.2.1', single)).toBe('429\n')
        expect(await from(limited, '--header', 'x-forwarded-for: 192.0.2.1, 192.0.2.2', single)).toBe('429\n')
        expect(await from(other, '--header', `x-forwarded-for: ${limited}`, single)).toBe('401\n')
      })

      const internal = ['/metrics', '/health/ready', '/health/delivery-domain?domain=files.localhost']
      const spellings = [
        '//metrics',
        '/%6detrics',
        '/x/../metrics',
        '/metrics/',
        '/METRICS',
        '/health/%72eady',
        '//health/ready',
      ]
      test.each([...internal, ...spellings])('does not show %s', async (path) => {
        for (const host of Object.values(hosts)) {
          const answer = await curl('--path-as-is', '--write-out', '\n%{http_code}', address(host, path))
          expect([host, answer.split('\n').at(-1)]).toEqual([host, expect.stringMatching(/^40[0345]$/)])
          expect(answer).not.toMatch(/tonearm_|nodejs_|ffmpeg|free_bytes/)
        }
        const metrics = await fetch(`${service.url}/metrics`)
        expect(await metrics.text()).toContain('tonearm_build_info')
      })
    },
  )
})
