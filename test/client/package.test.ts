// The npm package of src/client: the examples of its README and of its folder, compiled against it and run with a service.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { buildClient } from '../../.config/client.ts'
import { dependencies } from '../../package.json'
import { DEMO_USAGE } from '../../src/cli/demo.ts'
import clientPackage from '../../src/client/package.json'
import { cleanUp, createPlace, type Place, runMain, type ServiceProcess, startProcess } from '../faults/process.ts'
import { tone } from '../support/audio.ts'
import { lastingPort } from '../support/ports.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dir, '../..')
const secret = `whsec_${Buffer.from('a secret of the examples').toString('base64')}`
let place: Place
let service: ServiceProcess
beforeAll(async () => {
  place = await createPlace()
  service = await startProcess(place)
  const modules = join(place.folder, 'node_modules')
  mkdirSync(join(modules, '@types'), { recursive: true })
  for (const name of [
    ...Object.keys(clientPackage.dependencies),
    'react',
    '@types/react',
    'csstype',
    '@types/node',
    'undici-types',
  ])
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  buildClient(join(modules, '@tonearm/client'))
  await Bun.write(join(place.folder, 'song.wav'), await tone(2))
}, 60_000)
afterAll(() => cleanUp(place))

const node = Bun.which('node')
const runtimes = [['Bun', process.execPath] as const, ...(node ? [['Node', node] as const] : [])]

/** Compiles programs in the place, as users of the package do. */
function compile(...paths: string[]): void {
  const options = [
    '--target',
    'ES2023',
    '--module',
    'NodeNext',
    '--strict',
    '--types',
    'node',
    '--skipLibCheck',
    'false',
  ]
  const compiled = Bun.spawnSync([process.execPath, 'x', 'tsc', ...options, ...paths], {
    cwd: place.folder,
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
  })
  expect(compiled.stdout.toString()).toBe('')
}

/** The examples in their order, as one program that also sends a webhook to the receiver. */
function program(): string {
  const readme = readFileSync(join(root, 'src/client/README.md'), 'utf8')
  const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1])
  expect(examples.length).toBeGreaterThan(5)
  return `
import { Webhook } from 'standardwebhooks'
${examples.join('\n')}
const body = JSON.stringify({ type: 'track.status_changed', timestamp: new Date(), data: { status: 'ready' } })
const now = new Date()
const headers = {
  'webhook-id': 'first-event',
  'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
  'webhook-signature': new Webhook(process.env.WEBHOOK_SECRET!).sign('first-event', now, body),
}
for (const text of [body, body.replace('ready', 'error')]) {
  const { status } = await receive(new Request('https://example.com', { method: 'POST', headers, body: text }))
  console.log('webhook', status)
}
`
}

describe('the examples of the README', () => {
  beforeAll(async () => {
    await Bun.write(join(place.folder, 'program.ts'), program())
    await Bun.write(join(place.folder, 'package.json'), '{"type": "module"}')
    compile('program.ts')
  }, 60_000)

  test.each(runtimes)('work with %s', async (_, runtime) => {
    const child = Bun.spawn([runtime, 'program.js'], {
      cwd: place.folder,
      env: {
        BASE_URL: service.url,
        API_KEY: service.credentials.api_key,
        WEBHOOK_SECRET: secret,
        COLLECTION: service.credentials.collection_id,
        FILE: join(place.folder, 'song.wav'),
      },
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    expect(errors).toBe('')
    const lines = output.trim().split('\n')
    expect(lines).toContain('100 %')
    expect(lines).toContain('ready')
    expect(lines.some((line) => line.startsWith(`${service.url}/v1/stream/`))).toBe(true)
    expect(lines).toContain(`track.status_changed ${service.credentials.organization_id}`)
    expect(lines).toContain('404 not_found')
    expect(lines.slice(-3)).toEqual(['first-event ready', 'webhook 204', 'webhook 401'])
  })
})

test('the example of every public function compiles', async () => {
  const sources = ['index', 'listening', 'upload', 'rest', 'webhook', 'error', 'node', 'player', 'react'].map((name) =>
    readFileSync(join(root, `src/client/${name}.ts`), 'utf8'),
  )
  const samples = sources.flatMap((text) => [...text.matchAll(/@example\n *\* ```ts\n([\s\S]*?) *\* ```/g)])
  expect(samples.length).toBeGreaterThan(12)
  const bodies = samples.map(([, text = '']) => `void (async () => {\n${text.replace(/^ *\* ?/gm, '')}\n})`)
  await Bun.write(
    join(place.folder, 'samples.ts'),
    `import { type Client, cancelUpload, createClient, followListening, readData, sendFile, TonearmError, type UploadTarget } from '@tonearm/client'
import { fileFromPath } from '@tonearm/client/node'
import '@tonearm/client/player'
import { usePlayer, useUpload, useUploadSession } from '@tonearm/client/react'
import { verifyWebhook } from '@tonearm/client/webhook'
declare const tonearm: Client, target: UploadTarget, file: File, request: Request
declare const audio: HTMLAudioElement, playback: { listening_url: string | null }
declare const apiKey: string, collectionId: string, uploadSessionId: string, trackId: string, playSessionId: string, shareKey: string, secret: string
declare class Audio { constructor(address: string); play(): void }
let stored: string | undefined
${bodies.join('\n')}
`,
  )
  compile('samples.ts')
}, 60_000)

const folder = join(root, 'src/client/examples')
const examples = readdirSync(folder)

describe.each(runtimes)('the examples in the folder, with %s:', (_, runtime) => {
  beforeAll(async () => {
    for (const name of examples) await Bun.write(join(place.folder, name), Bun.file(join(folder, name)))
    compile(...examples)
  }, 60_000)
  const running: Bun.Subprocess[] = []
  afterAll(() => {
    for (const child of running) child.kill()
  })

  function spawn(example: string, args: readonly string[] = [], env: Record<string, string> = {}) {
    const { api_key, collection_id, share_key } = service.credentials
    const child = Bun.spawn([runtime, `${example}.js`, ...args], {
      cwd: place.folder,
      env: { BASE_URL: service.url, API_KEY: api_key, COLLECTION: collection_id, SHARE_KEY: share_key, ...env },
      stderr: 'pipe',
    })
    running.push(child)
    return child
  }

  async function run(example: string, ...args: string[]): Promise<string[]> {
    const child = spawn(example, args)
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    expect([await child.exited, errors]).toEqual([0, ''])
    return output.trim().split('\n')
  }

  /** Starts an example that listens. */
  async function listen(example: string) {
    const port = await lastingPort()
    const child = spawn(example, [], { PORT: String(port), WEBHOOK_SECRET: secret })
    const url = `http://127.0.0.1:${port}`
    await until('the example to listen', 10_000, () => fetch(url).then(Boolean, () => false))
    return { url, child }
  }

  /** @returns the content type of what an address plays */
  async function play(address: string): Promise<string | null> {
    const response = await fetch(address)
    expect([response.status, (await response.arrayBuffer()).byteLength > 1000]).toEqual([200, true])
    return response.headers.get('content-type')
  }

  test('an upload with progress ends with a link that plays', async () => {
    const lines = await run('upload', 'song.wav')
    expect(lines).toContain('100 %')
    expect(lines).toContain('ready')
    expect(await play(lines.at(-1) ?? '')).toBe('audio/mp4')
  })

  test('a page plays an album', async () => {
    const { url } = await listen('album-page')
    const page = await (await fetch(url)).text()
    const addresses = [...page.matchAll(/<audio [^>]*src="([^"]+)"/g)].map(([, text = '']) =>
      text.replaceAll('&#38;', '&'),
    )
    expect(addresses.length).toBeGreaterThan(0)
    expect(await play(addresses[0] ?? '')).toBe('audio/mp4')
    expect(page).toContain('song')
  })

  test('a receiver verifies webhooks, and acts once on a repeated one', async () => {
    const { url, child } = await listen('webhook-receiver')
    const body = JSON.stringify({
      type: 'track.status_changed',
      timestamp: new Date(),
      data: { track_id: 'a', status: 'ready' },
    })
    const now = new Date()
    const headers = {
      'webhook-id': 'one-event',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('one-event', now, body),
    }
    const statuses: number[] = []
    for (const text of [body, body, body.replace('ready', 'error')]) {
      statuses.push((await fetch(url, { method: 'POST', headers, body: text })).status)
    }
    expect(statuses).toEqual([204, 204, 401])
    child.kill()
    expect(await new Response(child.stdout).text()).toBe('a ready\n')
  })

  test('a private feed has the tracks of the collection, which play', async () => {
    const [address = ''] = await run('private-feed', 'Ada Lovelace')
    const response = await fetch(address)
    expect(response.headers.get('content-type')).toStartWith('application/rss+xml')
    const [, enclosure = ''] = /<enclosure url="([^"]+)"/.exec(await response.text()) ?? []
    expect(await play(enclosure)).toBe('audio/mp4')
  })
})

test('its dependencies are those that the project tests', () => {
  const rootVersions: Record<string, string> = dependencies
  const versions: Record<string, string> = clientPackage.dependencies
  expect(versions).not.toBeEmpty()
  expect(Object.fromEntries(Object.keys(versions).map((name) => [name, rootVersions[name]]))).toEqual(versions)
})

test('the demo uploads, processes and plays a recording', async () => {
  const { exitCode, stdout, stderr } = await runMain(place, ['demo', join(place.folder, 'song.wav')])
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^upload {5}\d+ bytes in /)
  expect(stdout).toContain('state      ready')
  expect(stdout).toMatch(/sound {6}200, \d+ bytes of audio\/mp4/)
})

test('the demo explains a recording that cannot be used', async () => {
  const path = join(place.folder, 'letter.txt')
  await Bun.write(path, 'Dear Sir or Madam')
  const { exitCode, stderr } = await runMain(place, ['demo', path])
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^the track is (init_)?error: /)])
})

test.each([
  [['/tmp'], '/tmp: is not a file; name one recording\n'],
  [['/no/such'], '/no/such: the file does not exist\n'],
  [['one', 'two'], `${DEMO_USAGE}\n`],
  [[], `${DEMO_USAGE}\n`],
])('the demo refuses %j', async (args, message) => {
  expect(await runMain(place, ['demo', ...args])).toEqual({ exitCode: 1, stdout: '', stderr: message })
})

test('the demo explains that a folder has no credentials', async () => {
  const DATA_DIR = join(place.folder, 'restored')
  const args = ['demo', join(place.folder, 'song.wav')]
  expect(await runMain({ ...place, env: { ...place.env, DATA_DIR } }, args)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `DATA_DIR: ${DATA_DIR} has no demo credentials, which a start writes when it creates the demo organization; set DATA_DIR if another folder has them\n`,
  })
})

test('the demo prints its usage with --help', async () => {
  expect((await runMain(place, ['demo', '--help'])).stdout).toBe(`${DEMO_USAGE}\n`)
})
