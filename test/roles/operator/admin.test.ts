// `bun run admin`: what it makes works in the service on the same database.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { admin } from '../../../src/roles/operator/admin.ts'
import { openServices } from '../../../src/roles/services.ts'
import { cloneDatabase } from '../../support/postgres.ts'
import { type Json, SECRET } from '../../support/service.ts'

const DATA_DIR = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
afterAll(() => rm(DATA_DIR, { recursive: true, force: true }))
const config = loadConfig({ DATABASE_URL: await cloneDatabase(), SECRET, DATA_DIR, LOG_LEVEL: 'silent' })
const log = createLog('silent', 'json')
const run = (...args: string[]): Promise<Json> => admin(config, log, args)

describe('bun run admin', () => {
  test('create-admin makes an owner, once for an address', async () => {
    const { organization_id: organization } = await run('create-organization', '--name', 'One')
    const create = () => run('create-admin', '--organization', organization, '--email', 'Chief@Example.com')
    expect(await create()).toEqual({ email: 'chief@example.com', password: expect.stringMatching(/^[0-9A-Za-z]{20}$/) })
    await expect(create()).rejects.toThrow('email: is already the address of an administrator')
    const { services, close } = await openServices(config, log, true)
    const person = await services.db.administrator.findUniqueOrThrow({ where: { email: 'chief@example.com' } })
    await close()
    expect([person.role, person.organizationId]).toEqual(['owner', organization])
  })

  test('rotate-token-key makes a key that signs in an hour; at once it retires the others', async () => {
    const first = await run('rotate-token-key')
    expect(first).toEqual({ token_key_id: expect.stringMatching(/^[\w-]{43}$/), retired_token_key_ids: [] })
    const second = await run('rotate-token-key')
    const { services, close } = await openServices(config, log, true)
    expect((await services.tokenKeys.signer()).kid).toBe(first.token_key_id)
    const third = await run('rotate-token-key', '--at-once')
    expect(third.retired_token_key_ids.sort()).toEqual([first.token_key_id, second.token_key_id].sort())
    await close()
    const after = await openServices(config, log, true)
    expect((await after.services.tokenKeys.published()).keys.map(({ kid }) => kid)).toEqual([third.token_key_id])
    await after.close()
  })
})
