// `bun run admin`: what it creates works in the service on the same database.
import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { admin } from '../../src/cli/admin.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { codeOf, isAlive, signIn, trySignIn } from '../support/administrators.ts'
import { tone } from '../support/audio.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { enableFactor } from '../support/second-factor.ts'
import { type Json, SECRET, useTestService } from '../support/service.ts'

const service = useTestService()
let config: Config
let notes: string[] = []
beforeAll(async () => {
  config = configOf({ DATABASE_URL: service.services.pool.options.connectionString ?? '' })
})

const configOf = (env: Record<string, string>) =>
  loadConfig({ SECRET, DATA_DIR: service.dataDir, LOG_LEVEL: 'silent', ...env })
const silent = createLog('silent', 'json')
const runOn = (on: Config, ...args: string[]): Promise<Json> =>
  admin(on, silent, args, { note: (text) => notes.push(text), write: async () => {} })
const run = (...args: string[]) => runOn(config, ...args)
/** The variants that an api key lists, sorted. */
const variantsOf = async (key: string) =>
  (await service.v1('GET', '/variant', { key })).json.variants.map(({ index }: Json) => index).sort()

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

describe('create-organization', () => {
  test('creates the standard variants, and prints the next steps separately from the output', async () => {
    notes = []
    const output = await run('create-organization', '--name', 'One')
    expect(output).toEqual({ organization_id: expect.any(String), api_key: expect.stringMatching(/_api_/) })
    expect(await variantsOf(output.api_key)).toEqual(['cover', 'hq', 'lq', 'original', 'preview', 'waveform'])
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain(`create-admin --organization ${output.organization_id}`)
    expect(notes[0]).toContain(`signs in at ${config.publicUrl}/studio\n`)
    expect(notes[0]).not.toContain(output.api_key)
  })

  test('creates none with --without-variants, and prints that', async () => {
    notes = []
    const { api_key: key } = await run('create-organization', '--name', 'Bare', '--without-variants')
    expect(await variantsOf(key)).toEqual([])
    expect(notes[0]).toContain('no_variants')
    expect(notes[0]).toContain(`\n  ${config.publicUrl}/studio/variants\n`)
  })

  test('sets the delivery domain, in lower case', async () => {
    const { organization_id: id } = await run('create-organization', '--name', 'Cdn', '--domain', 'CDN.example.com')
    const { domain, isDomainDefault } = await service.services.db.organization.findUniqueOrThrow({ where: { id } })
    expect([domain, isDomainDefault]).toEqual(['cdn.example.com', false])
  })

  test('creates nothing when a value is invalid', async () => {
    const count = () => service.services.db.organization.count()
    const before = await count()
    await expect(run('create-organization', '--name', 'X', '--domain', 'a/b')).rejects.toThrow(
      /^--domain: must be a host/,
    )
    await expect(run('create-organization', '--name', 'n'.repeat(256))).rejects.toThrow(/^--name: /)
    await expect(run('create-organization', '--name', ' ')).rejects.toThrow('--name: is required')
    expect(await count()).toBe(before)
  })

  test('a recording uploaded with its key gets files', async () => {
    const { api_key: key } = await run('create-organization', '--name', 'Played')
    const { json: collection } = await service.v1('POST', '/collection', { key, body: { title: 'First' } })
    const { json } = await service.v1('POST', '/track', {
      key,
      body: { collection_id: collection.collection_id, file_name: 'a.wav' },
    })
    await service.fetchEdge(json.track_upload.upload_url, { method: 'PUT', body: new Blob([await tone(1)]) })
    await service.runJobs()
    const { json: read } = await service.v1('GET', `/track/${json.track_id}`, { key })
    expect([read.track.track_status_id, read.track.status_code]).toEqual(['ready', null])
    expect(read.files.map(({ variant }: Json) => variant.index).sort()).toEqual([
      'hq',
      'lq',
      'original',
      'preview',
      'waveform',
    ])
  })
})

describe('create-admin', () => {
  test('creates an owner, once for an address', async () => {
    const { organization_id: organization } = await run('create-organization', '--name', 'Two')
    const create = () => run('create-admin', '--organization', organization, '--email', 'Chief@Example.com')
    const created = await create()
    expect(created).toEqual({ email: 'chief@example.com', password: expect.stringMatching(/^[0-9A-Za-z]{20}$/) })
    expect((await signIn(service, created)).administrator).toMatchObject({ email: 'chief@example.com', role: 'OWNER' })
    await expect(create()).rejects.toThrow('--email: is already the address of an administrator')
  })
})

describe('lists', () => {
  test('of organizations are in the order of their creation, and continue after an id', async () => {
    const { organization_id: id } = await run('create-organization', '--name', 'Last')
    const all = await run('list-organizations')
    const { domain, createdAt } = await service.services.db.organization.findUniqueOrThrow({ where: { id } })
    expect(all.at(-1)).toEqual({ organization_id: id, name: 'Last', domain, created_at: createdAt })
    expect(all[0].name).toBe('Demo')
    const after = await run('list-organizations', '--after', all.at(-2).organization_id)
    expect(after).toEqual([all.at(-1)])
  })

  test('of administrators have no secret', async () => {
    const listed = await run('list-administrators', '--organization', service.demo.organization_id)
    expect(listed).toEqual([
      {
        administrator_id: expect.any(String),
        email: service.demo.admin.email,
        role: 'owner',
        is_disabled: false,
        has_second_factor: false,
        last_sign_in_at: null,
        created_at: expect.any(Date),
      },
    ])
    await expect(run('list-administrators', '--organization', UNKNOWN)).rejects.toThrow(UNKNOWN)
  })
})

describe('a person who cannot sign in', () => {
  const email = 'locked@example.com'
  let password: string
  beforeAll(async () => {
    const { organization_id: id } = await run('create-organization', '--name', 'Three')
    password = (await run('create-admin', '--organization', id, '--email', email)).password
  })

  test('gets a new password; the old password and its sessions end', async () => {
    const { token } = await signIn(service, { email, password })
    expect(await isAlive(service, token)).toBe(true)
    const output = await run('reset-password', '--email', 'Locked@Example.com')
    expect(output).toEqual({ email, password: expect.stringMatching(/^[0-9A-Za-z]{20}$/) })
    expect(await isAlive(service, token)).toBe(false)
    expect(codeOf(await trySignIn(service, { email, password }))).toBe('unauthenticated')
    password = output.password
    await signIn(service, { email, password })
  })

  test('loses a second factor, and its sessions end', async () => {
    const { token } = await enableFactor(service, { email, password })
    expect(codeOf(await trySignIn(service, { email, password }))).toBe('second_factor_required')
    expect(await run('remove-second-factor', '--email', 'Locked@Example.com')).toEqual({ email })
    expect(await isAlive(service, token)).toBe(false)
    expect(codeOf(await trySignIn(service, { email, password }))).toBeUndefined()
  })

  test('gets a link that signs in once', async () => {
    const output = await run('sign-in-link', '--email', 'LOCKED@example.com')
    expect(output).toEqual({ email, link: expect.stringContaining('/studio/sign-in#'), expires_at: expect.any(Date) })
  })

  test('is unlocked, and no other administrator', async () => {
    const other = service.demo.admin.email
    const from = { address: '192.0.2.7' }
    for (const person of [email, other]) {
      for (let tried = 0; tried < 6; tried++) await trySignIn(service, { email: person, password: 'wrong' }, from)
      expect(codeOf(await trySignIn(service, { email: person, password: 'wrong' }, from))).toBe('rate_limited')
    }
    expect(await run('unlock', '--email', 'LOCKED@example.com')).toEqual({ email })
    expect(codeOf(await trySignIn(service, { email, password }, from))).toBeUndefined()
    expect(codeOf(await trySignIn(service, {}, from))).toBe('rate_limited')
  })

  test.each(['reset-password', 'remove-second-factor', 'sign-in-link', 'unlock'])(
    '%s reports an unknown address',
    async (command) => {
      await expect(run(command, '--email', 'nobody@example.com')).rejects.toThrow(/^--email: /)
      await expect(run(command, '--email', 'nobody')).rejects.toThrow('--email: must be an email address')
    },
  )
})

describe('keys', () => {
  test('revoke-key ends a key, once', async () => {
    const organization = service.demo.organization_id
    const created = await run('create-key', '--organization', organization, '--kind', 'api', '--title', 'CI')
    const { api_key: key, api_key_id: id } = created
    expect((await service.v1('GET', '/creator', { key })).status).toBe(200)
    const revoked = await run('revoke-key', '--key', id)
    expect(revoked).toEqual({ api_key_id: id, kind: 'api', title: 'CI', revoked_at: expect.any(Date) })
    expect((await service.v1('GET', '/creator', { key })).status).toBe(401)
    expect(await run('revoke-key', '--key', id)).toEqual(revoked)
    await expect(run('revoke-key', '--key', UNKNOWN)).rejects.toThrow(/^--key: /)
  })

  test('create-key creates api keys only', async () => {
    const create = run('create-key', '--organization', service.demo.organization_id, '--kind', 'share', '--title', 'x')
    await expect(create).rejects.toThrow('--kind: must be api')
  })

  test('rotate-token-key creates a key that signs in an hour; at once it retires the others', async () => {
    const { tokenKeys } = service.services
    const { kid } = await tokenKeys.signer()
    const first = await run('rotate-token-key')
    expect(first).toEqual({ token_key_id: expect.stringMatching(/^[\w-]{43}$/), retired_token_key_ids: [] })
    const second = await run('rotate-token-key', '--at-once')
    expect(second.retired_token_key_ids.sort()).toEqual([kid, first.token_key_id].sort())
  })
})

describe('a mistake', () => {
  test.each([
    [['frobnicate'], 'admin: unknown command "frobnicate"'],
    [['create-admin', '--name', 'x'], "Unknown option '--name'"],
    [['create-admin', 'extra'], "Unexpected argument 'extra'"],
    [['create-admin', '--organization', 'x', '--email', 'a@example.com'], '--organization: must be'],
    [
      ['create-admin', '--organization', UNKNOWN, '--email', 'a@example.com'],
      '--organization: no organization has the ID',
    ],
    [['list-organizations', '--after', 'zzz'], '--after: must be a UUID'],
    [['revoke-key'], '--key: is required'],
    [[], 'usage: admin <command>'],
  ])('%p is named', async (args, message) => {
    const failed = run(...args)
    await expect(failed).rejects.toThrow(message)
    await expect(failed).rejects.toMatchObject({ name: 'OperatorError' })
  })

  test('an empty DATA_DIR is rejected, and nothing is created', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
    const absent = join(folder, 'absent')
    for (const dataDir of [folder, absent]) {
      const embedded = loadConfig({ DATA_DIR: dataDir })
      await expect(runOn(embedded, 'list-organizations')).rejects.toThrow(/^DATA_DIR: .* contains no database/)
    }
    expect(await readdir(folder)).toEqual([])
    expect(existsSync(absent)).toBe(false)
    await rm(folder, { recursive: true })
  })

  test('a database without the tables is rejected and unchanged', async () => {
    const url = await emptyDatabase()
    const failed = runOn(configOf({ DATABASE_URL: url }), 'list-organizations')
    await expect(failed).rejects.toThrow(/^DATABASE_URL: the database has no tables of this service/)
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      "SELECT 1 FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    )
    await client.end()
    expect(rows).toEqual([])
  })
})
