// The examples in .config/deploy/nginx with Debian's nginx and njs; skipped without them.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { signDelivery } from '../../src/domain/delivery/token.ts'
import { tone } from '../support/audio.ts'
import { example, examplePath, hasNginx, startNginx } from '../support/nginx.ts'
import { lastingPort } from '../support/ports.ts'
import { readSigningSecret, uploadShared } from '../support/shared-file.ts'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from './process.ts'

setDefaultTimeout(60_000)

if (!hasNginx) console.log('skipped, because nginx with njs is missing (Debian: nginx-light, libnginx-mod-http-js)')

describe.skipIf(!hasNginx)('nginx', () => {
  let place: Place
  let service: ServiceProcess
  let files: Awaited<ReturnType<typeof startNginx>>
  let cdn: Awaited<ReturnType<typeof startNginx>>
  let sound: Uint8Array<ArrayBuffer>
  let path: string
  let secret: string
  let trackId: string
  const now = () => Math.floor(Date.now() / 1000)
  const signed = (issued = now(), by = secret, target = path) => `${target}?verify=${signDelivery(by, target, issued)}`

  beforeAll(async () => {
    place = await createPlace({ EDGE_ACCEL: 'nginx' })
    service = await startProcess(place)
    sound = await tone(20)
    ;({ trackId, path } = await uploadShared(service, sound))
    secret = await readSigningSecret(place)
    const dataDir = place.env.DATA_DIR ?? ''
    const [filesPort, cdnPort] = [await lastingPort(), await lastingPort()]
    const edgePort = place.env.EDGE_PORT ?? ''
    const filesConf = (await example('files.conf'))
      .replace('127.0.0.1:3001', `127.0.0.1:${edgePort}`)
      .replace('listen 80;', `listen 127.0.0.1:${filesPort};`)
      .replace('/var/lib/tonearm/storage/', `${join(dataDir, 'storage')}/`)
    files = await startNginx(filesConf, filesPort)
    const cdnConf = (await example('cdn.conf'))
      .replace('127.0.0.1:3001', `127.0.0.1:${filesPort}`)
      .replace('listen 80;', `listen 127.0.0.1:${cdnPort};`)
      .replace('/etc/nginx/verify.js', examplePath('verify.js'))
      .replace('/var/cache/nginx/files', 'FOLDER/cache')
      .replace('proxy_cache_lock on;', 'proxy_cache_lock on; add_header X-Cache $upstream_cache_status;')
    cdn = await startNginx(cdnConf, cdnPort, { SIGNING_SECRET: `${'o'.repeat(40)},${secret}` })
  })
  afterAll(async () => {
    await cdn?.stop()
    await files?.stop()
    await cleanUp(place)
  })

  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())

  test('sends the bytes that the edge grants, with its headers', async () => {
    const direct = await fetch(service.edgeUrl + signed(), { method: 'HEAD' })
    const answer = await fetch(files.url + signed())
    expect(answer.status).toBe(200)
    expect(Buffer.compare(await bytesOf(answer), Buffer.from(sound))).toBe(0)
    const pickHeaders = (headers: Headers) =>
      Object.fromEntries(
        [...headers].filter(
          ([name]) => !['date', 'server', 'connection', 'x-request-id', 'cache-control'].includes(name),
        ),
      )
    expect(pickHeaders(answer.headers)).toEqual(pickHeaders(direct.headers))
    expect(answer.headers.get('cache-control')).toMatch(/^private, max-age=3\d{3}, no-transform$/)
    expect(await bytesOf(await fetch(service.edgeUrl + signed()))).toHaveLength(0)
  })

  test.each([
    { range: 'bytes=0-99', status: 206, part: [0, 100] },
    { range: 'bytes=1000-1000', status: 206, part: [1000, 1001] },
    { range: 'bytes=-10', status: 206, part: [-10, undefined] },
    { range: 'bytes=99999999-', status: 416, part: null },
    { range: 'bytes=0-1,5-6', status: 200, part: [0, undefined] },
  ])('answers $range with $status', async ({ range, status, part }) => {
    const answer = await fetch(files.url + signed(), { headers: { range } })
    expect(answer.status).toBe(status)
    if (part) expect(Buffer.compare(await bytesOf(answer), Buffer.from(sound.slice(...part)))).toBe(0)
  })

  test('obeys conditions', async () => {
    const { headers } = await fetch(files.url + signed(), { method: 'HEAD' })
    const etag = headers.get('etag') ?? ''
    const status = async (requestHeaders: Record<string, string>) =>
      (await fetch(files.url + signed(), { headers: requestHeaders })).status
    expect(await status({ 'if-none-match': etag })).toBe(304)
    expect(await status({ 'if-none-match': '"other"' })).toBe(200)
    expect(await status({ 'if-match': etag })).toBe(200)
    expect(await status({ 'if-match': '"other"' })).toBe(412)
    expect(await status({ range: 'bytes=0-9', 'if-range': etag })).toBe(206)
    expect(await status({ range: 'bytes=0-9', 'if-range': '"other"' })).toBe(200)
  })

  const refused = () => [
    { what: 'no token', target: path, status: 403 },
    { what: 'a changed path', target: signed().replace(path, `${path}x`), status: 403 },
    { what: 'another secret', target: signed(now(), 'x'.repeat(40)), status: 403 },
    { what: 'an expired token', target: signed(now() - 3700), status: 410 },
    { what: 'a token of the future', target: signed(now() + 120), status: 403 },
    { what: 'a path of storage', target: '/stored/x', status: 404 },
  ]

  test('in front of the edge and as a CDN refuses what the edge refuses', async () => {
    for (const { what, target, status } of refused()) {
      const [atFiles, atCdn] = [await fetch(files.url + target), await fetch(cdn.url + target)]
      const isInternal = target.startsWith('/stored')
      expect([what, atFiles.status]).toEqual([what, isInternal ? 404 : status])
      expect([what, atCdn.status]).toEqual([what, isInternal ? 403 : status])
      expect([what, (await bytesOf(atFiles)).includes('RIFF')]).toEqual([what, false])
    }
  })

  test('as a CDN shares one copy among addresses, with ranges, and refuses tokens that it cannot check', async () => {
    const first = await fetch(cdn.url + signed())
    expect([first.status, Buffer.compare(await bytesOf(first), Buffer.from(sound))]).toEqual([200, 0])
    const second = await fetch(cdn.url + signed(now() - 60), { headers: { range: 'bytes=5-9' } })
    expect([second.status, second.headers.get('x-cache')]).toEqual([206, 'HIT'])
    expect(Buffer.compare(await bytesOf(second), Buffer.from(sound.slice(5, 10)))).toBe(0)
    expect((await fetch(cdn.url + signed(now() - 3700))).status).toBe(410)
  })

  test('stops with the deletion of a track, except for copies', async () => {
    expect((await service.v1('DELETE', `/track/${trackId}`)).status).toBe(200)
    expect((await fetch(files.url + signed())).status).toBe(403)
    expect((await fetch(cdn.url + signed())).status).toBe(200)
  })
})
