// Starts real services: a port is in use only for a process that listens.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ADMIN_USAGE } from '../../src/cli/admin.ts'
import { DEMO_USAGE } from '../../src/cli/demo.ts'
import { DOCTOR_USAGE } from '../../src/cli/doctor/doctor.ts'
import { start } from '../../src/cli/start.ts'
import { START_USAGE } from '../../src/cli/usage.ts'
import { loadConfig, OperatorError } from '../../src/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { availablePrefix } from '../../src/platform/media/ffmpeg/command.ts'
import { version } from '../../src/platform/version.ts'
import {
  cleanUp,
  createPlace,
  isAlive,
  type Place,
  runMain,
  type ServiceProcess,
  startProcess,
} from '../faults/process.ts'
import { lastingPort } from '../support/ports.ts'
import { cloneDatabase } from '../support/postgres.ts'
import { type Json, SECRET } from '../support/service.ts'

const places: Place[] = []
async function place(env?: Record<string, string>): Promise<Place> {
  const newPlace = await createPlace(env)
  places.push(newPlace)
  return newPlace
}

let first: ServiceProcess
let firstDatabase: string
let takenPorts: { PORT: string; EDGE_PORT: string }
beforeAll(async () => {
  const firstPlace = await place({ DATABASE_URL: await cloneDatabase(), SECRET, DEMO: 'empty' })
  takenPorts = { PORT: firstPlace.env.PORT ?? '', EDGE_PORT: firstPlace.env.EDGE_PORT ?? '' }
  firstDatabase = firstPlace.env.DATABASE_URL ?? ''
  first = await startProcess(firstPlace)
}, 60_000)
afterAll(() => cleanUp(...places))

describe('a second service', () => {
  test.each([
    ['PORT', 'PORT'],
    ['PORT', 'EDGE_PORT'],
    ['EDGE_PORT', 'EDGE_PORT'],
    ['EDGE_PORT', 'PORT'],
  ] as const)(
    'on %s that the first one has as its %s stops with one sentence and creates nothing',
    async (setting, of) => {
      const second = await place({ [setting]: takenPorts[of] })
      expect(await sentenceOf(second)).toBe(`${setting}: 127.0.0.1:${takenPorts[of]} is in use by another process`)
      expect(existsSync(second.env.DATA_DIR ?? '')).toBe(false)
      expect(isAlive(first.pid)).toBe(true)
      expect((await fetch(`${first.url}/health/ready`)).status).toBe(200)
    },
  )
})

describe('the command line', () => {
  test.each([['help'], ['--help'], ['-h']])('%s prints the usage of all commands', async (argument) => {
    const { exitCode, stdout, stderr } = await runMain(await place(), [argument])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toStartWith('usage: tonearm start | admin <command> | demo FILE | doctor [--json]')
    for (const usage of [START_USAGE, ADMIN_USAGE, DEMO_USAGE, DOCTOR_USAGE]) expect(stdout).toContain(usage)
  })

  test('--version prints the release', async () => {
    expect(await runMain(await place(), ['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
  })

  test.each(['--help', '-h'])('start %s prints its usage and starts nothing', async (option) => {
    const newPlace = await place()
    const stdout = `${START_USAGE}\n`
    expect(await runMain(newPlace, ['start', option])).toEqual({ exitCode: 0, stdout, stderr: '' })
    expect(existsSync(newPlace.env.DATA_DIR ?? '')).toBe(false)
  })

  test.each([
    [['--port', '4000', 'extra'], '--port'],
    [['extra'], 'extra'],
  ])('start %j is refused and starts nothing', async (args, named) => {
    const newPlace = await place()
    const stderr = `start: unexpected argument "${named}"\n${START_USAGE}\n`
    expect(await runMain(newPlace, ['start', ...args])).toEqual({ exitCode: 1, stdout: '', stderr })
    expect(existsSync(newPlace.env.DATA_DIR ?? '')).toBe(false)
  })
})

/** Checks that a process fails to start as it should. @returns the one line that it prints */
async function printedSentence(startPlace: Place, wrapper?: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runMain(startPlace, ['start'], wrapper)
  expect(exitCode).toBe(1)
  expect(stdout).not.toContain('Tonearm is running')
  return oneSentence(startPlace, stderr)
}

/** The same without a process, which takes a second of CPU. A process prints the message of the error, as other tests show. */
async function sentenceOf(startPlace: Place): Promise<string> {
  const output: string[] = []
  const starting = start(loadConfig(startPlace.env), createLog('silent', 'json'), {
    announce: (text) => output.push(text),
    isForPeople: false,
  })
  const error = await starting.then(
    () => null,
    (error) => error,
  )
  expect(error).toBeInstanceOf(OperatorError)
  expect(output).toEqual([])
  return oneSentence(startPlace, error.message)
}

function oneSentence({ env }: Place, text: string): string {
  expect(text.trim().split('\n')).toHaveLength(1)
  const postgres = join(env.DATA_DIR ?? '', 'postgres')
  expect(existsSync(join(postgres, 'cluster/postmaster.pid'))).toBe(false)
  expect(existsSync(join(postgres, 'owner.pid'))).toBe(false)
  return text.trim()
}

describe('a folder with the data of an earlier start', () => {
  let sharedPlace: Place
  let before: ServiceProcess
  beforeAll(async () => {
    sharedPlace = await place()
    before = await startProcess(sharedPlace)
    before.kill('SIGTERM')
    await before.exited
  }, 60_000)

  test('is served by a later start on other ports, at its own addresses', async () => {
    const { PORT = '', EDGE_PORT = '' } = (await place()).env
    const after = await startProcess({ ...sharedPlace, env: { ...sharedPlace.env, PORT, EDGE_PORT } })
    expect(after.credentials).toEqual({
      ...before.credentials,
      base_url: after.url,
      graphql_url: `${after.url}/graphql`,
      edge_url: after.edgeUrl,
    })
    const { json } = await after.v1('POST', '/track', {
      collection_id: after.credentials.collection_id,
      file_name: 'a.wav',
    })
    expect(json.track.base_url).toStartWith(`${after.edgeUrl}/`)
    after.kill('SIGTERM')
    expect(await after.exited).toBe(0)
    // Only the very first start prints commands of a first upload for a person.
    const lines = (await after.output()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).msg)).toContain('started')
    expect(await before.output()).toContain('A first upload')
  })

  test('and without its secret stops the start with one sentence, and gets no other secret', async () => {
    const file = join(sharedPlace.env.DATA_DIR ?? '', 'secret')
    await rm(file)
    const sentence = await sentenceOf({ ...sharedPlace, env: { ...sharedPlace.env, LOG_LEVEL: 'error' } })
    expect(sentence).toBe(`SECRET: ${file} is missing; restore it from a backup, or set SECRET`)
    expect(existsSync(file)).toBe(false)
  })
})

test('metrics have a port of their own if one is set', async () => {
  const port = await lastingPort()
  const env = { DATABASE_URL: await cloneDatabase(), SECRET, DEMO: 'empty' }
  const ownService = await startProcess(await place({ ...env, METRICS_PORT: String(port) }))
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining('# TYPE tonearm_')])
  const other = await fetch(`http://127.0.0.1:${port}/health/live`)
  expect([other.status, await other.json()]).toEqual([404, expect.objectContaining({ ok: false, code: 'not_found' })])
  const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([404, expect.stringContaining('text/html')])
  expect(await page.text()).not.toContain('href="/"')
  expect((await fetch(`${ownService.url}/metrics`)).status).toBe(404)
  expect((await fetch(`${first.url}/metrics`)).status).toBe(200)
  for (const WEB_CONCURRENCY of ['1', '2']) {
    const other = await place({ METRICS_PORT: String(port), WEB_CONCURRENCY })
    const { stderr } = await runMain(other)
    expect(stderr).toBe(`METRICS_PORT: 127.0.0.1:${port} is in use by another process\n`)
    expect(existsSync(other.env.DATA_DIR ?? '')).toBe(false)
  }
  ownService.kill('SIGTERM')
  expect(await ownService.exited).toBe(0)
})

test.each([
  { roles: 'gateway,worker', warns: true },
  { roles: 'gateway', warns: false },
])('a start of $roles on a host without a sandbox logs the missing bounds: $warns', async ({ roles, warns }) => {
  const env = { DATABASE_URL: await cloneDatabase(), SECRET, DEMO: 'empty', ROLES: roles }
  // No wrapper is found.
  const ownService = await startProcess(await place({ ...env, PATH: '/nonexistent' }))
  const { sandbox_missing: all } = (await (await fetch(`${ownService.url}/health/ready`)).json()) as Json
  const missing = all.filter((bound: string) => bound !== 'process count')
  expect(missing).toEqual(expect.arrayContaining(['network', 'processes', 'files', 'lifetime']))
  const output = await ownService.output()
  // Without PATH the packages' build is used.
  expect(output).toContain(`ffmpeg is older than 5.0: install your distribution's package`)
  const lines = output.split('\n').filter((line) => line.includes('media programs run without'))
  expect(lines).toHaveLength(warns ? 1 : 0)
  if (warns) {
    const line = JSON.parse(lines[0] ?? '')
    expect(line).toMatchObject({ level: 'warn', missing })
    expect(line.msg).toContain(`bounds: ${missing.join(', ')}. `)
    const guide = String(/http\S+$/.exec(line.msg)?.[0])
    expect(await (await fetch(guide)).text()).toContain('id="sandbox"')
  }
  ownService.kill('SIGTERM')
  expect(await ownService.exited).toBe(0)
})

describe('a mistake of the operator stops the start with one sentence that names the setting', () => {
  const isolated = availablePrefix(['unshare', '--user', '--map-root-user', '--mount'])
  const canMount = availablePrefix([...isolated, 'sh', '-c', 'mount -t tmpfs tmpfs /mnt && exec "$@"', 'sh']).length > 0
  /** Mounts a file system over DATA_DIR, for the service alone. */
  const mounted = (options: string) => {
    const script = `mkdir -p "$DATA_DIR" && mount -t tmpfs -o ${options} tmpfs "$DATA_DIR" && exec "$@"`
    return [...isolated, 'sh', '-c', script, 'sh']
  }

  const createOwnPlace = async (env: Record<string, string> = {}) =>
    place({ DATABASE_URL: await cloneDatabase(), SECRET, LOG_LEVEL: 'error', ...env })
  async function databaseWith(change: (url: URL) => void): Promise<string> {
    const url = new URL(await cloneDatabase())
    change(url)
    return url.toString()
  }

  test('a wrong password', async () => {
    const DATABASE_URL = await databaseWith((url) => {
      url.password = 'wrong-word'
    })
    expect(await printedSentence(await createOwnPlace({ DATABASE_URL }))).toBe(
      'DATABASE_URL: the database rejects the user or the password',
    )
  })

  test('a database that does not exist', async () => {
    const DATABASE_URL = await databaseWith((url) => {
      url.pathname = '/no%20such'
    })
    expect(await sentenceOf(await createOwnPlace({ DATABASE_URL }))).toBe(
      'DATABASE_URL: the database "no such" does not exist; create it first',
    )
  })

  test('an address that the machine does not have', async () => {
    expect(await sentenceOf(await createOwnPlace({ HOST: '192.0.2.1' }))).toBe(
      'HOST: this machine has no address 192.0.2.1',
    )
  })

  test.each(['file', 'file/below'])('a DATA_DIR that is not a folder: %s', async (path) => {
    const newPlace = await place()
    await writeFile(join(newPlace.folder, 'file'), '')
    newPlace.env.DATA_DIR = join(newPlace.folder, path)
    expect(await sentenceOf(newPlace)).toBe(`DATA_DIR: ${newPlace.env.DATA_DIR} is not a folder`)
  })

  test.each([
    ['/proc/tonearm', 'cannot be created'],
    [`/tmp/${'x'.repeat(256)}`, 'has a name that is too long'],
    ['loop/data', 'has a loop of links in its path'],
  ])('a DATA_DIR that no folder can be: %s', async (path, rule) => {
    const newPlace = await place()
    await symlink('loop', join(newPlace.folder, 'loop'))
    const DATA_DIR = resolve(newPlace.folder, path)
    newPlace.env.DATA_DIR = DATA_DIR
    expect(await sentenceOf(newPlace)).toBe(`DATA_DIR: ${DATA_DIR} ${rule}`)
  })

  test('a bucket that is not writable', async () => {
    const bucket = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(null, { status: 403 }) })
    const S3_ENDPOINT = `http://127.0.0.1:${bucket.port}`
    const keys = { S3_BUCKET: 'b', S3_REGION: 'r', S3_ACCESS_KEY_ID: 'k', S3_SECRET_ACCESS_KEY: 'hidden-word' }
    const sentence = await sentenceOf(await createOwnPlace({ STORAGE: 's3', S3_ENDPOINT, ...keys }))
    await bucket.stop(true)
    expect(sentence).toBe(`S3_BUCKET: b at ${S3_ENDPOINT} is not writable (HTTP_403); check the S3 settings`)
  })

  test('another SECRET than that of the database', async () => {
    const newPlace = await createOwnPlace({ DATABASE_URL: firstDatabase, SECRET: `${SECRET}2` })
    expect(await sentenceOf(newPlace)).toStartWith(
      'SECRET: the value is not the secret that this database was set up with',
    )
  })

  describe.skipIf(isolated.length === 0 || !canMount)('where namespaces are allowed', () => {
    test('a privileged port', async () => {
      expect(await printedSentence(await createOwnPlace({ PORT: '80' }), isolated)).toStartWith(
        'PORT: 80 is a privileged port',
      )
    })

    test.each([['embedded'], ['of the operator']])('a read-only DATA_DIR, database %s', async (database) => {
      const newPlace = database === 'embedded' ? await place() : await createOwnPlace()
      expect(await printedSentence(newPlace, mounted('size=1m,ro'))).toBe(
        `DATA_DIR: ${newPlace.env.DATA_DIR} is not writable`,
      )
    })

    // Too small for a cluster, for its start, and for the tables.
    test.each(['4m', '40m', '42m'])('a disk of %s that is full', async (size) => {
      const sentence = await printedSentence(await place({ LOG_LEVEL: 'error' }), mounted(`size=${size}`))
      expect(sentence).toMatch(/^DATA_DIR: .*(No space left on device|is on a full disk)$/)
    })
  })
})
