// `bun run doctor`: findings for mistakes of operators. None of them stops the other checks.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { addressChecks } from '../../src/cli/doctor/addresses.ts'
import { clockFinding, databaseChecks } from '../../src/cli/doctor/database.ts'
import { DOCTOR_USAGE, doctor } from '../../src/cli/doctor/doctor.ts'
import { type Check, ok } from '../../src/cli/doctor/finding.ts'
import { issuerCheck } from '../../src/cli/doctor/identity.ts'
import { mediaChecks } from '../../src/cli/doctor/media.ts'
import { protectionChecks } from '../../src/cli/doctor/protection.ts'
import { speechCheck } from '../../src/cli/doctor/speech.ts'
import { storageChecks } from '../../src/cli/doctor/storage.ts'
import { codecs } from '../../src/domain/variant/types/codecs/index.ts'
import { findEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { readMigrations, requiredExtensions } from '../../src/platform/db/migrate.ts'
import type { Probe } from '../../src/platform/media/probe.ts'
import {
  cleanUp,
  createPlace,
  type Place,
  postgresPid,
  runMain,
  type ServiceProcess,
  startProcess,
} from '../faults/process.ts'
import { type Bucket, startBucket } from '../support/bucket.ts'
import { lastingPort } from '../support/ports.ts'
import { cloneDatabase, emptyDatabase } from '../support/postgres.ts'
import { refuseTimes, startRecognizer } from '../support/recognizer.ts'
import { SECRET } from '../support/service.ts'
import { bucketEnv } from '../support/storage.ts'
import { sandboxedTools } from '../support/tools.ts'

interface Line extends Record<'check' | 'level' | 'found', string> {
  remedy: string | null
}

let folder: string
const places: Place[] = []
const servers: Bun.Server<undefined>[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-doctor-'))
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)))
})
afterAll(async () => {
  await cleanUp(...places)
  await rm(folder, { recursive: true, force: true })
})

/** Runs a part of the checks. Without DATABASE_URL the folder has no database. */
async function examine(env: Record<string, string>, checks: readonly Check[] = []) {
  const printed: string[] = []
  const print = (text: string) => printed.push(text)
  const exitCode = await doctor({ DATA_DIR: join(folder, 'data'), ...env }, ['--json'], { print, checks })
  expect(printed).toHaveLength(1)
  const all: Line[] = JSON.parse(printed[0] ?? '')
  const of = (name: string) => all.filter(({ check }) => check === name)
  expect(all.filter(({ level, remedy }) => (level === 'ok') !== (remedy === null))).toEqual([])
  expect(exitCode).toBe(all.some(({ level }) => level === 'problem') ? 1 : 0)
  return { all, of, levels: (name: string) => of(name).map(({ level }) => level) }
}

function serve(fetch: (request: Request) => Response): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, reusePort: false, fetch })
  servers.push(server)
  return `http://127.0.0.1:${server.port}`
}

describe('the command', () => {
  test('prints one line for each finding with its remedy, a summary, and exits 1 for a problem', async () => {
    const place = await createPlace({ FFMPEG: '/no/such', PUBLIC_URL: 'ftp://x' })
    places.push(place)
    const { exitCode, stdout, stderr } = await runMain(place, ['doctor'])
    expect([exitCode, stderr]).toEqual([1, ''])
    const lines = stdout.trim().split('\n')
    expect(lines[0]).toBe(
      'problem  settings     PUBLIC_URL: must be an http or https address. Correct it; .env.example has all settings with their defaults.',
    )
    expect(lines).toContainEqual(
      expect.stringMatching(/^problem {2}ffmpeg {7}FFMPEG: \/no\/such does not exist\. Set FFMPEG/),
    )
    expect(lines).toContainEqual(expect.stringMatching(/^ok {7}ffprobe /))
    expect(lines.at(-1)).toMatch(/^2 problems, (1 warning|\d+ warnings), \d+ ok$/)
    expect(existsSync(place.env.DATA_DIR ?? '')).toBe(false)
  }, 30_000)

  test('refuses an unknown option with its usage, and prints the usage with --help', async () => {
    await expect(doctor({}, ['--fix'], { print: () => {} })).rejects.toThrow('doctor: unknown option "--fix"')
    const place = await createPlace()
    places.push(place)
    expect(await runMain(place, ['doctor', '--help'])).toEqual({
      exitCode: 0,
      stdout: `${DOCTOR_USAGE}\n`,
      stderr: '',
    })
  })

  test('the guide lists every check', async () => {
    const text = await Bun.file(join(import.meta.dir, '../../src/web/docs/guides/run-in-production.md')).text()
    const section = /^## Check the installation\n(.*?)^## /ms.exec(text)?.[1] ?? ''
    const listed = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names = '']) => names.match(/[a-z]+/g) ?? [])
    const checks = [
      ...databaseChecks,
      ...storageChecks,
      ...mediaChecks,
      ...addressChecks,
      issuerCheck,
      speechCheck,
      ...protectionChecks,
    ]
    expect(listed.sort()).toEqual(['settings', 'database', ...checks.map(({ name }) => name)].sort())
  })

  test('a check that hangs and one that throws are problems, and the next one runs', async () => {
    const checks: Check[] = [
      { name: 'hangs', run: () => new Promise(() => {}) },
      { name: 'throws', run: () => Promise.reject(new Error('a reason\n  on two lines')) },
      { name: 'works', run: () => [ok('yes')] },
    ]
    const printed: string[] = []
    const print = (text: string) => printed.push(text)
    const env = { DATA_DIR: join(folder, 'data') }
    expect(await doctor(env, ['--json'], { print, checks, timeoutMs: 50 })).toBe(1)
    const lines: Line[] = JSON.parse(printed[0] ?? '')
    expect(lines.slice(-3).map(({ check, level, found: summary }) => [check, level, summary])).toEqual([
      ['hangs', 'problem', 'no answer within 0.05 s'],
      ['throws', 'problem', 'a reason on two lines'],
      ['works', 'ok', 'yes'],
    ])
  })
})

describe('settings', () => {
  test('reports every mistake, and leaves out only the checks that depend on one', async () => {
    const env = { PORT: '70000', WORKERS: 'two', TRUSTED_PROXIES: '-1', STORAGE: 's3' }
    const { of, levels } = await examine(env, [...addressChecks, ...storageChecks])
    expect(of('settings').map(({ found: summary }) => summary)).toEqual([
      'PORT: must be at most 65535',
      'WORKERS: must be a number',
      'TRUSTED_PROXIES: must be at least 0',
      ...['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'].map(
        (name) => `${name}: is required with STORAGE=s3`,
      ),
    ])
    expect(of('ports').map(({ found: summary }) => summary)).toEqual(['not checked: invalid PORT'])
    expect(of('proxies').map(({ found: summary }) => summary)).toEqual(['not checked: invalid PORT, TRUSTED_PROXIES'])
    expect(levels('storage')).toEqual(['warning'])
    expect([levels('database'), levels('scratch')]).toEqual([['ok'], ['ok']])
  })

  test('names the settings that are set', async () => {
    const { of } = await examine({ PORT: '3100', EDGE_URL: '' })
    expect(of('settings').map(({ level, found: summary }) => [level, summary])).toEqual([
      ['ok', 'valid; set are PORT, DATA_DIR'],
    ])
  })
})

describe('database', () => {
  const change = async (url: string, ...statements: string[]) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  const ownEnv = { SECRET }

  test('a migrated one has no warning', async () => {
    const { all, of, levels } = await examine({ ...ownEnv, DATABASE_URL: await cloneDatabase() })
    expect(all.filter(({ level }) => level !== 'ok')).toEqual([])
    for (const name of ['database', 'migrations', 'extensions', 'connections', 'clock', 'secret']) {
      expect(levels(name)).toEqual(['ok'])
    }
    expect(of('connections')[0]?.found).toMatch(/^PostgreSQL \d+.*: \d+ of \d+ connections are free for it$/)
  })

  test('one with fewer free connections than the processes of WEB_CONCURRENCY use is a warning', async () => {
    const { of } = await examine({ ...ownEnv, DATABASE_URL: await cloneDatabase(), WEB_CONCURRENCY: '64' })
    expect(of('connections').map(({ level, found: summary }) => [level, summary])).toEqual([
      ['warning', expect.stringMatching(/free for it; the processes of these settings use up to 2470$/)],
    ])
  })

  test('one that cannot be reached is one problem', async () => {
    const url = new URL(await cloneDatabase())
    url.password = 'wrong-word'
    const { of, all } = await examine({ ...ownEnv, DATABASE_URL: url.toString() })
    expect(of('database')).toEqual([
      {
        check: 'database',
        level: 'problem',
        found: 'DATABASE_URL: the database rejects the user or the password',
        remedy: 'Start the database, or correct DATABASE_URL. Its content was not checked.',
      },
    ])
    expect(all.map(({ check }) => check)).toEqual(['settings', 'database'])
  })

  test('an empty one is ready for the first start, and stays empty', async () => {
    const url = await emptyDatabase()
    const { of, levels } = await examine({ ...ownEnv, DATABASE_URL: url })
    expect(of('migrations')[0]?.found).toBe('the database is empty; the first start creates its tables')
    expect([levels('migrations'), levels('extensions'), levels('secret')]).toEqual([['ok'], ['ok'], []])
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
    await client.end()
    expect(rows).toEqual([])
  })

  test('one of another program is a problem', async () => {
    const url = await emptyDatabase()
    await change(url, 'CREATE TABLE customer ()')
    const { of } = await examine({ ...ownEnv, DATABASE_URL: url })
    expect(of('migrations').map(({ level, found: summary }) => [level, summary])).toEqual([
      ['problem', 'the database has tables of another program, such as "customer"'],
    ])
  })

  const latest = `(SELECT max(name) FROM schema_migration)`
  test.each([
    ['pending', `DELETE FROM schema_migration WHERE name = ${latest}`, 'warning', /^pending: 2\w+$/],
    [
      'unknown',
      `INSERT INTO schema_migration (name, checksum) VALUES ('29990101000000_later', '')`,
      'warning',
      /^applied by a later release: 29990101000000_later$/,
    ],
    [
      'unfit',
      `INSERT INTO schema_migration (name, checksum, needs)
       VALUES ('29990101000000_later', '', '29980101000000_used')`,
      'problem',
      /^removed by a later release what this one uses: 29990101000000_later$/,
    ],
    [
      'changed',
      `UPDATE schema_migration SET checksum = 'x' WHERE name = ${latest}`,
      'problem',
      /^applied with another content: 2\w+$/,
    ],
    [
      'applied with other functions',
      `UPDATE schema_definition SET checksum = 'x' WHERE name IN ('add_month', 'is_stale')`,
      'warning',
      /^functions and views that differ: add_month, is_stale$/,
    ],
  ])('one with a migration that is %s', async (_, statement, level, summary) => {
    const url = await cloneDatabase()
    await change(url, statement)
    expect((await examine({ ...ownEnv, DATABASE_URL: url })).of('migrations')).toEqual([
      { check: 'migrations', level, found: expect.stringMatching(summary), remedy: expect.any(String) },
    ])
  })

  test('one of another SECRET is a problem', async () => {
    const url = await cloneDatabase()
    await change(url, `INSERT INTO installation (id, secret_fingerprint) VALUES (1, 'another')`)
    const { of } = await examine({ ...ownEnv, DATABASE_URL: url })
    expect(of('secret').map(({ level, found: summary }) => [level, summary])).toEqual([
      ['problem', 'the value is not the secret that the database was set up with'],
    ])
  })

  test('an extension that the role may not create is a problem', async () => {
    const url = await emptyDatabase()
    const name = new URL(url).pathname.slice(1)
    await change(url, `CREATE ROLE ${name} LOGIN PASSWORD 'word'`, `REVOKE CREATE ON DATABASE ${name} FROM ${name}`)
    const limited = new URL(url)
    Object.assign(limited, { username: name, password: 'word' })
    const { of } = await examine({ ...ownEnv, DATABASE_URL: limited.toString() })
    expect(of('extensions').map(({ level, found: summary }) => [level, summary])).toEqual([
      ['problem', 'not installed yet: btree_gin, btree_gist, pg_trgm'],
    ])
  })

  test.each([
    [5, 'ok'],
    [-5, 'ok'],
    [5.1, 'warning'],
    [-29.9, 'warning'],
    [30, 'problem'],
    [-30, 'problem'],
  ])('a clock that differs by %d s is %s', (seconds, level) => {
    expect(clockFinding(seconds, 'that')).toMatchObject({ level })
  })

  test('the extensions are those of the migrations', async () => {
    const scripts = (await readMigrations()).map(({ script }) => script)
    const created = scripts.join('\n').matchAll(/^\s*CREATE EXTENSION IF NOT EXISTS (\w+)/gm)
    expect([...created].map(([, name]) => name ?? '').sort()).toEqual([...requiredExtensions])
  })
})

describe('a running service with the embedded database', () => {
  let place: Place
  let service: ServiceProcess
  beforeAll(async () => {
    place = await createPlace()
    places.push(place)
    service = await startProcess(place)
  }, 60_000)

  test('is examined through its own server, and stays as it is', async () => {
    const dataDir = place.env.DATA_DIR ?? ''
    const before = [await postgresPid(dataDir), (await readdir(dataDir)).sort()]
    const { of, levels, all } = await examine(place.env, [...addressChecks, ...protectionChecks])
    expect(all.filter(({ level }) => level !== 'ok')).toEqual([])
    expect(of('database')[0]?.found).toEndWith('is running and answers')
    expect([levels('migrations'), levels('secret')]).toEqual([['ok'], ['ok']])
    expect(of('ports').map(({ found: summary }) => summary)).toEqual([
      `PORT: ${place.env.PORT} is in use by a Tonearm that is running`,
      `EDGE_PORT: ${place.env.EDGE_PORT} is in use by a Tonearm that is running`,
    ])
    expect(of('addresses').map(({ found: summary }) => summary)).toEqual([
      `PUBLIC_URL (${service.url}) is answered by the gateway`,
      `EDGE_URL (${service.edgeUrl}) is answered by the edge`,
    ])
    expect([await postgresPid(dataDir), (await readdir(dataDir)).sort()]).toEqual(before)
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
  })

  test('addresses that name the other role are problems', async () => {
    const env = { ...place.env, PUBLIC_URL: service.edgeUrl, EDGE_URL: service.url }
    expect(
      (await examine(env, addressChecks)).of('addresses').map(({ level, found: summary }) => [level, summary]),
    ).toEqual([
      ['problem', `PUBLIC_URL (${service.edgeUrl}): the edge answers instead of the gateway`],
      ['problem', `EDGE_URL (${service.url}): the gateway answers instead of the edge`],
    ])
  })

  test.each(['a new DATA_DIR', 'one whose database does not run'])(
    'its ports and addresses are problems for another installation: %s',
    async (dataDir) => {
      const other = await createPlace({ PORT: place.env.PORT ?? '', EDGE_PORT: place.env.EDGE_PORT ?? '' })
      places.push(other)
      const cluster = join(other.env.DATA_DIR ?? '', 'postgres/cluster')
      if (dataDir !== 'a new DATA_DIR') {
        await mkdir(cluster, { recursive: true })
        await writeFile(join(cluster, 'PG_VERSION'), '18')
      }
      const { of } = await examine(other.env, addressChecks)
      expect(of('ports').map(({ level, found: summary, remedy }) => [level, summary, remedy])).toEqual(
        ['PORT', 'EDGE_PORT'].map((name) => [
          'problem',
          `${name}: ${place.env[name]} is in use by another Tonearm`,
          `Stop it, or set ${name}.`,
        ]),
      )
      expect(of('addresses').map(({ level, found: summary }) => [level, summary])).toEqual([
        ['problem', `PUBLIC_URL (${service.url}): another Tonearm answers`],
        ['problem', `EDGE_URL (${service.edgeUrl}): another Tonearm answers`],
      ])
    },
  )

  test('its ports are its own for a process with its database', async () => {
    const { url } = (await findEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))) ?? {}
    const { levels } = await examine({ ...place.env, SECRET, DATABASE_URL: url ?? '' }, addressChecks)
    expect(levels('ports')).toEqual(['ok', 'ok'])
  })

  test('after its end, the database is not started', async () => {
    service.kill('SIGTERM')
    await service.exited
    const { of, levels } = await examine(place.env, addressChecks)
    expect(of('database').map(({ level, found: summary }) => [level, summary])).toEqual([
      ['ok', expect.stringContaining('does not run: start the service')],
    ])
    expect([levels('migrations'), levels('ports')]).toEqual([[], ['ok', 'ok']])
    expect(await postgresPid(place.env.DATA_DIR ?? '')).toBe(0)
  })
})

describe('addresses', () => {
  test('another program at a port and at an address is a problem', async () => {
    const url = serve(() => new Response('hello'))
    const { port } = new URL(url)
    const { of } = await examine({ PORT: port, PUBLIC_URL: url }, addressChecks)
    expect(of('ports')[0]).toMatchObject({
      level: 'problem',
      found: `PORT: 127.0.0.1:${port} is in use by another process`,
      remedy: 'Stop that program, or set PORT.',
    })
    expect(of('addresses')[0]).toMatchObject({
      level: 'problem',
      found: `PUBLIC_URL (${url}): another program answers (status 200)`,
    })
  })

  test('an address that the machine does not have is a problem that names HOST', async () => {
    const { of } = await examine({ HOST: '192.0.2.1' }, addressChecks)
    expect(of('ports')[0]).toMatchObject({
      level: 'problem',
      found: 'HOST: this machine has no address 192.0.2.1',
      remedy: 'Set HOST to an address of this machine, or to 0.0.0.0 for all.',
    })
  })

  test('a JSON answer without the request id is of another program', async () => {
    const url = serve(() => Response.json({ code: 'not_found' }, { status: 404 }))
    const { of } = await examine({ PUBLIC_URL: url }, addressChecks)
    expect(of('addresses')[0]?.level).toBe('problem')
  })

  test('one that does not answer is a warning, except for the own port', async () => {
    const [port, other] = [await lastingPort(), await lastingPort()]
    const { levels } = await examine({ PORT: String(port), EDGE_URL: `http://localhost:${other}` }, addressChecks)
    expect(levels('addresses')).toEqual(['ok', 'warning'])
  })

  test('localhost is a warning with a database of the operator', async () => {
    const { of } = await examine(
      { SECRET, DATABASE_URL: await cloneDatabase(), PUBLIC_URL: 'https://127.0.0.1:1' },
      addressChecks,
    )
    expect(of('addresses').at(-1)).toMatchObject({
      level: 'warning',
      found: 'PUBLIC_URL is https://127.0.0.1:1, EDGE_URL is http://localhost:3001: other machines cannot reach that',
    })
  })

  const https = { PUBLIC_URL: 'https://localhost:1', EDGE_URL: 'https://localhost:2' }
  test.each([
    [{}, ['ok']],
    [{ ...https, DELIVERY_URL: 'https://{org_domain}' }, ['ok']],
    [{ ...https, DELIVERY_URL: 'http://{org_domain}' }, ['problem']],
    [{ PUBLIC_URL: https.PUBLIC_URL, DELIVERY_URL: 'http://{org_domain}' }, ['problem', 'problem']],
  ])('mixed content of %j is %j', async (env, levels) => {
    expect((await examine(env as Record<string, string>, addressChecks)).levels('https')).toEqual(levels)
  })

  test.each([
    [{}, 'ok'],
    [{ PUBLIC_URL: 'https://localhost:1' }, 'warning'],
    [{ PUBLIC_URL: 'https://localhost:1', TRUSTED_PROXIES: '1' }, 'ok'],
    [{ TRUSTED_PROXIES: '1' }, 'warning'],
  ])('the number of proxies of %j is %s', async (env, level) => {
    expect((await examine(env as Record<string, string>, addressChecks)).levels('proxies')).toEqual([level])
  })
})

describe('installation', () => {
  const withKey = async (id: string) => {
    const url = await cloneDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`INSERT INTO signing_key (id, sealed_key, created_at) VALUES ($1, '', now())`, [id])
    await client.end()
    return url
  }
  const publishing = (...ids: string[]) => serve(() => Response.json({ keys: ids.map((kid) => ({ kid })) }))

  test('PUBLIC_URL with a key of the database is this one, with other keys another one', async () => {
    const env = { SECRET, DATABASE_URL: await withKey('own') }
    const right = await examine({ ...env, PUBLIC_URL: publishing('old', 'own') })
    expect(right.of('installation')).toMatchObject([{ level: 'ok' }])
    const wrong = await examine({ ...env, PUBLIC_URL: publishing('other') })
    expect(wrong.of('installation')).toMatchObject([
      {
        level: 'problem',
        found: expect.stringMatching(/^PUBLIC_URL \(.*\) is answered by an installation with another database$/),
        remedy: 'Correct PUBLIC_URL, the upstream of its proxy, or DATABASE_URL.',
      },
    ])
  })

  test('is not examined while PUBLIC_URL publishes no keys', async () => {
    const env = { SECRET, DATABASE_URL: await withKey('own') }
    expect((await examine({ ...env, PUBLIC_URL: serve(() => new Response('hello')) })).of('installation')).toEqual([])
    expect((await examine({ ...env, PUBLIC_URL: 'http://127.0.0.1:1' })).of('installation')).toEqual([])
  })
})

describe('issuer', () => {
  const key = { kty: 'RSA', use: 'sig', alg: 'RS256' }
  /** Serves discovery and keys. */
  function issuerWith(keys: object[], issuer?: string): string {
    const url = serve(({ url: address }) => {
      const { origin, pathname } = new URL(address)
      if (pathname === '/keys') return Response.json({ keys })
      return Response.json({ issuer: issuer ?? origin, jwks_uri: `${origin}/keys` })
    })
    return url
  }
  const run = async (env: Record<string, string>) =>
    (await examine({ OIDC_AUDIENCE: 'us', ...env }, [issuerCheck])).of('issuer')

  test('one that publishes keys is named with its audience', async () => {
    const url = issuerWith([key, { kty: 'oct' }])
    expect(await run({ OIDC_ISSUER: url })).toMatchObject([
      {
        level: 'warning',
        found: expect.stringContaining('publishes 1 keys; tokens must have the audience us. It is http'),
      },
    ])
    expect(await run({ OIDC_AUDIENCE: '' })).toMatchObject([{ level: 'ok' }])
  })

  test.each<[what: string, issuer: () => string, pattern: RegExp]>([
    ['another name', () => issuerWith([key], 'https://other.example.com'), /is the document of another issuer$/],
    ['secret keys only', () => issuerWith([{ kty: 'oct' }]), /publishes 1 keys, and none that may sign tokens$/],
    ['keys for encryption only', () => issuerWith([{ ...key, use: 'enc' }]), /and none that may sign tokens$/],
    ['no discovery', () => serve(() => new Response(null, { status: 404 })), /status 404$/],
    ['no answer', () => 'http://127.0.0.1:1', /^OIDC_ISSUER \(.*\): /],
  ])('one with %s is a problem', async (_, issuer, pattern) => {
    expect(await run({ OIDC_ISSUER: issuer() })).toMatchObject([
      { level: 'problem', found: expect.stringMatching(pattern) },
    ])
  })
})

describe('storage', () => {
  test('a folder that does not exist yet is not created', async () => {
    const { of } = await examine({}, storageChecks)
    expect(of('storage')).toEqual([
      {
        check: 'storage',
        level: 'ok',
        found: expect.stringMatching(/which the first start creates: [\d,]+ MiB are free$/),
        remedy: null,
      },
    ])
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('a folder below a file is a problem', async () => {
    await writeFile(join(folder, 'file'), '')
    const { of } = await examine({ DATA_DIR: join(folder, 'file') }, storageChecks)
    expect(of('storage')[0]).toMatchObject({ level: 'problem', found: `${join(folder, 'file')} is not a folder` })
  })

  test('a folder needs no rule for browsers', async () => {
    expect((await examine({}, storageChecks)).levels('cors')).toEqual(['ok'])
  })

  describe('in a bucket', () => {
    const answering = (headers: Record<string, string>, status = 200) =>
      bucket.intercept((request) => (request.method === 'OPTIONS' ? new Response(null, { status, headers }) : null))

    test.each([
      ['any origin', { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET, PUT' }, 'ok'],
      ['this origin', { 'access-control-allow-origin': 'http://a.test', 'access-control-allow-methods': 'PUT' }, 'ok'],
      [
        'another one',
        { 'access-control-allow-origin': 'http://b.test', 'access-control-allow-methods': 'PUT' },
        'warning',
      ],
      ['GET only', { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET' }, 'warning'],
    ])('that allows %s', async (_, headers, level) => {
      answering(headers)
      const { levels } = await examine({ ...bucketEnv(bucket), PUBLIC_URL: 'http://a.test' }, storageChecks)
      expect(levels('cors')).toEqual([level])
    })

    test('that refuses the question of a browser is a warning with its remedy', async () => {
      answering({}, 403)
      const { of } = await examine({ ...bucketEnv(bucket), PUBLIC_URL: 'http://a.test' }, storageChecks)
      expect(of('cors')).toMatchObject([
        {
          found:
            'browsers on http://a.test may not upload: the bucket does not allow PUT from that origin (status 403)',
          remedy: expect.stringContaining('Add a CORS rule to the bucket'),
        },
      ])
    })

    let bucket: Bucket
    beforeAll(async () => {
      bucket = await startBucket()
    })
    afterEach(() => bucket.reset())
    afterAll(() => bucket.stop())

    test('with all permissions and conditional copies is ok, and keeps only the object of the service', async () => {
      const { of } = await examine(bucketEnv(bucket), storageChecks)
      const place = `${bucket.settings.bucket} at ${bucket.settings.endpoint}`
      expect(of('storage').map(({ level, found: summary }) => [level, summary])).toEqual([
        ['ok', `${place} is writable, can be listed, takes parts, and objects can be removed`],
        ['ok', `${place} supports conditional copies`],
        ['ok', "agrees with the bucket's within 5 s"],
      ])
      expect([await bucket.keys(''), bucket.unfinished.size]).toEqual([['.tonearm-check'], 0])
    })

    test.each([
      ['PUT', /\.tonearm-check$/, 's3:PutObject'],
      ['GET', /\?list-type/, 's3:ListBucket'],
      ['DELETE', /-copy$/, 's3:DeleteObject'],
      ['GET', /-copy\?uploadId/, 's3:ListMultipartUploadParts'],
      ['DELETE', /-copy\?uploadId/, 's3:AbortMultipartUpload'],
    ] as const)('without %s of %p is a problem that names %s', async (method, address, permission) => {
      bucket.intercept((request) =>
        request.method === method && address.test(request.url) ? new Response(null, { status: 403 }) : null,
      )
      const { of } = await examine(bucketEnv(bucket), storageChecks)
      const problems = of('storage').filter(({ level }) => level === 'problem')
      expect(
        problems.map(({ found: summary }) => / (s3:[\w:, ]+) fails/.exec(summary)?.[1]?.includes(permission)),
      ).toEqual([true])
      expect(problems[0]?.remedy).toMatch(new RegExp(`allow .*${permission}`))
    })

    test('that ignores the condition of a copy is a problem', async () => {
      bucket.intercept((request) =>
        request.headers.has('x-amz-copy-source')
          ? new Response('<CopyObjectResult><ETag>"x"</ETag></CopyObjectResult>')
          : null,
      )
      const { of } = await examine(bucketEnv(bucket), storageChecks)
      expect(of('storage')[1]).toMatchObject({
        level: 'problem',
        found: expect.stringContaining('does not fit the condition'),
      })
    })

    test('that does not answer is a problem', async () => {
      const S3_ENDPOINT = `http://127.0.0.1:${await lastingPort()}`
      const { of } = await examine({ ...bucketEnv(bucket), S3_ENDPOINT }, storageChecks)
      expect(of('storage').map(({ level }) => level)).toEqual(['problem'])
      expect(of('storage')[0]?.found).toContain('does not answer')
    })

    test('with another clock is a problem', async () => {
      const date = new Date(Date.now() - 60_000).toUTCString()
      bucket.intercept((request) =>
        request.method === 'HEAD' ? new Response(null, { status: 404, headers: { date } }) : null,
      )
      const { of } = await examine(bucketEnv(bucket), storageChecks)
      expect(of('storage').at(-1)).toMatchObject({
        level: 'problem',
        found: expect.stringMatching(/^[56]\d(\.\d)? s ahead/),
      })
    })
  })
})

describe('media programs', () => {
  async function program(name: string, lines: readonly string[]): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, `#!/bin/sh\ncat <<'END'\n${lines.join('\n')}\nEND\n`)
    await chmod(path, 0o755)
    return path
  }

  test('those of this host are found with all encoders, and the sandbox names its wrappers', async () => {
    const { of, levels } = await examine({}, mediaChecks)
    const expected = (name: 'ffmpeg' | 'ffprobe') => [sandboxedTools.outdated.includes(name) ? 'warning' : 'ok']
    expect([levels('ffmpeg'), levels('ffprobe')]).toEqual([expected('ffmpeg'), expected('ffprobe')])
    expect(levels('encoders')).toEqual(['ok'])
    expect(of('sandbox')[0]?.found).toMatch(/^media programs run with/)
  })

  test('an old build without encoders is a warning and a problem', async () => {
    const FFMPEG = await program('old', ['ffmpeg version N-47683', 'libavcodec     58. 1.100', ' A....D aac    AAC'])
    const { of } = await examine({ FFMPEG, FFPROBE: '/no/such' }, mediaChecks)
    expect(of('ffmpeg').map(({ level, found: summary }) => [level, summary])).toEqual([
      ['warning', `N-47683 at ${FFMPEG} is older than 5.0`],
    ])
    expect(of('ffprobe')[0]?.level).toBe('problem')
    const missing = of('encoders')[0]?.found.replace('ffmpeg has no ', '').split(', ') ?? []
    expect(missing).not.toContain('aac')
    const recording = { sampleRate: 44_100, bitDepth: 16 } as Probe
    const used = Object.values(codecs).map(({ encode }) => encode({}, recording, 2).args[1] ?? '')
    expect(used.filter((name) => name !== 'aac' && !missing.includes(name))).toEqual([])
    expect(used).toHaveLength(7)
  })
})

describe('protection', () => {
  const createOwnEnv = async () => ({ SECRET, DATABASE_URL: await cloneDatabase() })

  test('each rule that is relaxed over a database of the operator is a warning', async () => {
    const env = { WEBHOOK_ALLOW_PRIVATE: 'on', SOURCE_ALLOW_PRIVATE: 'on', RATE_LIMITS: 'off' }
    const { of } = await examine({ ...(await createOwnEnv()), ...env }, protectionChecks)
    expect(of('protection').map(({ level, found: summary }) => `${level} ${summary.split(' ')[0]}`)).toEqual([
      'warning WEBHOOK_ALLOW_PRIVATE',
      'warning SOURCE_ALLOW_PRIVATE',
      'warning RATE_LIMITS',
    ])
    expect((await examine(await createOwnEnv(), protectionChecks)).levels('protection')).toEqual(['ok'])
    expect((await examine({}, protectionChecks)).levels('protection')).toEqual(['ok'])
  })

  test.each([
    ['change-me-change-me-change-me-change-me', 'warning'],
    ['abababababababababababababababababababab', 'warning'],
    ['8f14e45fceea167a5a36dedd4bea2543c0a1b7e2', 'ok'],
  ])('SECRET %s is %s', async (value, level) => {
    expect((await examine({ SECRET: value }, protectionChecks)).levels('secrets')).toEqual([level])
  })

  test('default passwords of database and bucket are warnings, and those of a generated form are not', async () => {
    const generated = '8f14e45fceea167a5a36dedd4bea2543c0a1b7e2'
    const s3 = { STORAGE: 's3', S3_ENDPOINT: 'http://x', S3_BUCKET: 'b', S3_REGION: 'r', S3_ACCESS_KEY_ID: 'k' }
    const check = (password: string, key: string) =>
      protectionChecks[1]?.run({
        secret: generated,
        databaseUrl: `postgres://service:${password}@db.example:5432/x`,
        storage: { kind: 's3', ...s3, secretAccessKey: key },
        dataDir: join(folder, 'data'),
      } as never)
    expect(await check('tonearm', 'minioadmin')).toHaveLength(2)
    expect(await check('service', generated)).toMatchObject([{ level: 'warning' }])
    expect(await check(generated, generated)).toMatchObject([{ level: 'ok' }])
  })

  test('a secret that other users may read is a warning', async () => {
    const dataDir = join(folder, 'open')
    await mkdir(dataDir)
    const file = join(dataDir, 'secret')
    await writeFile(file, 'x')
    await chmod(file, 0o640)
    const { of } = await examine({ DATA_DIR: dataDir }, protectionChecks)
    expect(of('secrets')).toMatchObject([{ level: 'warning', remedy: `chmod 600 ${file}` }])
    await chmod(file, 0o600)
    expect((await examine({ DATA_DIR: dataDir }, protectionChecks)).levels('secrets')).toEqual(['ok'])
  })
})

describe('speech recognition', () => {
  const run = async (answer: () => Response, env: Record<string, string> = {}) => {
    const recognizer = startRecognizer(answer)
    try {
      const { of } = await examine({ TRANSCRIBE_URL: recognizer.address, ...env }, [speechCheck])
      return { lines: of('speech'), requests: recognizer.all }
    } finally {
      recognizer.stop()
    }
  }

  test('that answers is sent a second of silence with the key', async () => {
    const answer = () => Response.json({ text: '', segments: [] })
    const { lines, requests } = await run(answer, { TRANSCRIBE_KEY: 'a-key' })
    expect(lines).toMatchObject([{ level: 'ok', found: expect.stringMatching(/ answers with times$/) }])
    expect(requests).toMatchObject([{ seconds: 1, headers: { authorization: 'Bearer a-key' } }])
  })

  test.each([
    ['a model without times', () => refuseTimes(), 'ok', /has no times/],
    ['a wrong key', () => new Response('no', { status: 401 }), 'problem', /the provider answers 401: no$/],
    ['another program', () => new Response('<html>'), 'problem', /an answer of another form: <html>$/],
  ] as const)('with %s', async (_, answer, level, pattern) => {
    expect((await run(answer)).lines).toMatchObject([{ level, found: expect.stringMatching(pattern) }])
  })

  test('that is not reached is a problem, and no setting is not', async () => {
    const { of } = await examine({ TRANSCRIBE_URL: 'http://127.0.0.1:1' }, [speechCheck])
    expect(of('speech')).toMatchObject([{ level: 'problem', found: expect.stringContaining('no connection') }])
    expect((await examine({}, [speechCheck])).of('speech')).toMatchObject([{ level: 'ok' }])
  })
})
