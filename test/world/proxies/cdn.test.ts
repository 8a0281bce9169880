// nginx and Varnish as CDNs, with the files of the guide "Behind a CDN": signatures, copies, ranges, deleted tracks.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../../.config/once.ts'
import { signDelivery } from '../../../src/domain/delivery/token.ts'
import { cleanUp, createPlace, type Place, type ServiceProcess, startProcess } from '../../faults/process.ts'
import { tone } from '../../support/audio.ts'
import { example, examplePath, hasNginx, startNginx } from '../../support/nginx.ts'
import { lastingPort } from '../../support/ports.ts'
import { readSigningSecret, uploadShared } from '../../support/shared-file.ts'
import { until } from '../../support/until.ts'
import { replaceParts } from './programs.ts'

setDefaultTimeout(60_000)

interface Cdn {
  url: string
  stop: () => Promise<void>
}
interface CdnOptions {
  edgePort: string
  secrets: string
  /** Seconds until a copy is revalidated. Defaults to those of the file. */
  seconds?: number
}

async function startNginxCdn({ edgePort, secrets, seconds }: CdnOptions): Promise<Cdn> {
  const port = await lastingPort()
  const text = replaceParts(await example('cdn.conf'), {
    '127.0.0.1:3001': `127.0.0.1:${edgePort}`,
    'listen 80;': `listen 127.0.0.1:${port};`,
    '/etc/nginx/verify.js': examplePath('verify.js'),
    '/var/cache/nginx/files': 'FOLDER/cache',
    ...(seconds && { 'proxy_cache_valid 200 1m;': `proxy_cache_valid 200 ${seconds}s;` }),
  })
  return startNginx(text, port, { SIGNING_SECRET: secrets })
}

async function startVarnish({ edgePort, secrets, seconds }: CdnOptions): Promise<Cdn> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-varnish-'))
  const port = await lastingPort()
  const text = replaceParts(readFileSync(join(root, '.config/deploy/varnish/cdn.vcl'), 'utf8'), {
    '.port = "3001"': `.port = "${edgePort}"`,
    ...(seconds && { 'beresp.ttl = 60s': `beresp.ttl = ${seconds}s` }),
  })
  const [file, log] = [join(folder, 'cdn.vcl'), join(folder, 'varnish.log')]
  await Bun.write(file, text)
  const command = ['varnishd', '-F', '-j', 'none', '-n', join(folder, 'work'), '-s', 'malloc,64m', '-f', file]
  const child = Bun.spawn([...command, '-a', `127.0.0.1:${port}`], {
    env: { PATH: process.env.PATH ?? '', SIGNING_SECRET: secrets },
    stdio: ['ignore', Bun.file(log), Bun.file(log)],
  })
  const url = `http://127.0.0.1:${port}`
  await until('Varnish to answer', 30_000, async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'))
    return fetch(url).catch(() => null)
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
    await rm(folder, { recursive: true, force: true })
  }
  return { url, stop }
}

const hasVarnish =
  Bun.which('varnishd') !== null &&
  [...new Bun.Glob('/usr/lib/*/varnish/vmods/libvmod_digest.so').scanSync({ cwd: '/', absolute: true })].some(
    existsSync,
  )

const cdns = {
  nginx: { missing: hasNginx ? null : 'nginx-light, libnginx-mod-http-js', start: startNginxCdn },
  Varnish: { missing: hasVarnish ? null : 'varnish, varnish-vmod-digest', start: startVarnish },
}

const OTHER_SECRET = 'o'.repeat(40)

let place: Place
let service: ServiceProcess
let secret: string
beforeAll(async () => {
  place = await createPlace()
  service = await startProcess(place)
  secret = await readSigningSecret(place)
})
afterAll(() => cleanUp(place))

const now = () => Math.floor(Date.now() / 1000)
const sign = (target: string, issued = now(), by = secret) =>
  `${target}${target.includes('?') ? '&' : '?'}verify=${signDelivery(by, target, issued)}`

/** Number of answers of the edge for files, by status. */
async function countAnswers(status: number): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const lines = metrics.matchAll(/^tonearm_edge_requests_total\{route="\/:file".*status="(\d+)"\} (\d+)$/gm)
  return [...lines].filter(([, code]) => code === String(status)).reduce((sum, [, , count]) => sum + Number(count), 0)
}

describe.each(Object.entries(cdns))('%s', (_, { missing, start }) => {
  describe.skipIf(missing !== null)(missing ? `is missing (Debian: ${missing})` : 'as a CDN', () => {
    let cdn: Cdn
    let quick: Cdn
    let sound: Uint8Array<ArrayBuffer>
    let trackId: string
    let path: string
    beforeAll(async () => {
      const options = { edgePort: place.env.EDGE_PORT ?? '', secrets: `${OTHER_SECRET},${secret}` }
      cdn = await start(options)
      quick = await start({ ...options, seconds: 1 })
      sound = await tone(5)
      ;({ trackId, path } = await uploadShared(service, sound))
    })
    afterAll(async () => {
      await cdn?.stop()
      await quick?.stop()
    })

    const isSound = async (answer: Response, start = 0, end?: number) =>
      Buffer.compare(Buffer.from(await answer.arrayBuffer()), Buffer.from(sound.slice(start, end))) === 0

    test('listeners with addresses of their own share one copy', async () => {
      const before = await countAnswers(200)
      for (const age of [0, 1, 600, 3590]) {
        const answer = await fetch(cdn.url + sign(path, now() - age))
        expect([answer.status, await isSound(answer)]).toEqual([200, true])
        expect(answer.headers.get('content-disposition')).toStartWith('inline')
      }
      expect((await countAnswers(200)) - before).toBe(1)
    })

    test('a download has a copy of its own', async () => {
      const before = await countAnswers(200)
      for (let listener = 0; listener < 2; listener++) {
        const answer = await fetch(cdn.url + sign(`${path}?download=1`))
        expect([answer.status, await isSound(answer)]).toEqual([200, true])
        expect(answer.headers.get('content-disposition')).toStartWith('attachment')
      }
      expect((await countAnswers(200)) - before).toBe(1)
    })

    test('accepts both secrets while one replaces the other', async () => {
      expect((await fetch(cdn.url + sign(path))).status).toBe(200)
      expect((await fetch(cdn.url + sign(path, now(), OTHER_SECRET))).status).toBe(200)
    })

    test.each([
      { range: 'bytes=0-99', status: 206, part: [0, 100] },
      { range: 'bytes=100000-100000', status: 206, part: [100_000, 100_001] },
      { range: 'bytes=-10', status: 206, part: [-10, undefined] },
      { range: 'bytes=99999999-', status: 416, part: null },
    ] as const)('answers $range with $status, from the copy', async ({ range, status, part }) => {
      await (await fetch(cdn.url + sign(path))).arrayBuffer()
      const before = await countAnswers(200)
      const answer = await fetch(cdn.url + sign(path), { headers: { range } })
      expect(answer.status).toBe(status)
      if (part) expect(await isSound(answer, ...part)).toBe(true)
      expect(await countAnswers(200)).toBe(before)
    })

    const refusals: [what: string, target: () => string, status: number][] = [
      ['no token', () => path, 403],
      ['a changed path', () => sign(path).replace(path, `${path}x`), 403],
      ['another secret', () => sign(path, now(), 'x'.repeat(40)), 403],
      ['a changed time', () => sign(path, now() - 5000).replace(/verify=\d+/, `verify=${now()}`), 403],
      ['an expired token', () => sign(path, now() - 3700), 410],
      ['a token of the future', () => sign(path, now() + 120), 403],
      ['a download that was not signed', () => sign(path).replace('?', '?download=1&'), 403],
      ['the path of a signed download', () => sign(`${path}?download=1`).replace('download=1&', ''), 403],
      ['a further parameter', () => `${sign(path)}&x=1`, 403],
      ['a token without a MAC', () => `${path}?verify=${now()}-`, 403],
    ]
    test.each(refusals)('refuses %s, although there is a copy', async (_, target, status) => {
      expect(await isSound(await fetch(cdn.url + sign(path)))).toBe(true)
      const answer = await fetch(cdn.url + target())
      expect([answer.status, (await answer.text()).includes('RIFF')]).toEqual([status, false])
      // The refusal has not replaced the copy.
      expect((await fetch(cdn.url + sign(path))).status).toBe(200)
    })

    test('keeps no copy of a refusal of the edge', async () => {
      const before = await countAnswers(403)
      const unknown = path.replace(/[^/]+$/, 'unknown_hq.m4a')
      for (let listener = 0; listener < 2; listener++) expect((await fetch(cdn.url + sign(unknown))).status).toBe(403)
      expect((await countAnswers(403)) - before).toBe(2)
    })

    test('revalidates a copy without its bytes', async () => {
      expect(await isSound(await fetch(quick.url + sign(path)))).toBe(true)
      const [whole, unchanged] = [await countAnswers(200), await countAnswers(304)]
      await until('a revalidation', 10_000, async () => {
        expect(await isSound(await fetch(quick.url + sign(path)))).toBe(true)
        return (await countAnswers(304)) > unchanged
      })
      expect(await countAnswers(200)).toBe(whole)
    })

    test('sends a deleted track until the revalidation, and not after', async () => {
      expect((await fetch(cdn.url + sign(path))).status).toBe(200)
      expect((await service.v1('DELETE', `/track/${trackId}`)).status).toBe(200)
      await until('the end of the copy', 10_000, async () => (await fetch(quick.url + sign(path))).status === 403)
      expect((await fetch(quick.url + sign(path))).status).toBe(403)
      expect((await fetch(cdn.url + sign(path))).status).toBe(200)
    })
  })
})

describe.skipIf(!hasVarnish)('a purge of Varnish (needs varnish, varnish-vmod-digest)', () => {
  let cdn: Cdn
  beforeAll(async () => {
    cdn = await startVarnish({ edgePort: place.env.EDGE_PORT ?? '', secrets: secret })
  })
  afterAll(() => cdn?.stop())

  test('ends the copies of one track', async () => {
    const [deletedFile, otherFile] = [
      await uploadShared(service, await tone(2)),
      await uploadShared(service, await tone(3)),
    ]
    const statusOf = async ({ path }: { path: string }) => (await fetch(cdn.url + sign(path))).status
    expect([await statusOf(deletedFile), await statusOf(otherFile)]).toEqual([200, 200])
    expect((await service.v1('DELETE', `/track/${deletedFile.trackId}`)).status).toBe(200)
    expect(await statusOf(deletedFile)).toBe(200)
    const whole = await countAnswers(200)
    expect((await fetch(`${cdn.url}/${deletedFile.basePath}`, { method: 'PURGE' })).status).toBe(200)

    expect([await statusOf(deletedFile), await statusOf(otherFile)]).toEqual([403, 200])
    expect(await countAnswers(200)).toBe(whole)
  })

  test('is refused from other addresses', async () => {
    const curl = ['curl', '--silent', '--interface', '127.0.0.2', '--request', 'PURGE', '--write-out', '%{http_code}']
    const child = Bun.spawn([...curl, '--output', '/dev/null', `${cdn.url}/a`], { stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toBe('405')
  })
})
