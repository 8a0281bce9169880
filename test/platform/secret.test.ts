import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { checkFingerprint, rootSecret } from '../../src/platform/identity/secret.ts'
import { createSigning } from '../../src/platform/identity/signing.ts'
import { cloneDatabase } from '../support/postgres.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('the root secret', () => {
  test('is created once by concurrent processes, readable by its owner only', async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => rootSecret(folder)))
    const file = join(folder, 'secret')
    expect(new Set(secrets)).toEqual(new Set([await readFile(file, 'utf8')]))
    expect(secrets[0]).toMatch(/^[\w-]{64}$/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['secret'])
    expect(await rootSecret(folder)).toBe(secrets[0] ?? '')
  })

  test.each([
    ['empty', ''],
    ['of 31 characters', 'x'.repeat(31)],
    ['blank', ' '.repeat(40)],
  ])('is rejected when it is %s, and unchanged', async (_, text) => {
    const file = join(folder, 'secret')
    await writeFile(file, text)
    await expect(rootSecret(folder)).rejects.toThrow(`SECRET: ${file} has fewer than 32 characters`)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test('is not created for an existing installation', async () => {
    const file = join(folder, 'secret')
    await expect(rootSecret(folder, { isCreated: false })).rejects.toThrow(`SECRET: ${file} is missing`)
    expect(await readdir(folder)).toEqual([])
  })

  test('may have 32 characters', async () => {
    await writeFile(join(folder, 'secret'), 'x'.repeat(32))
    expect(await rootSecret(folder)).toBe('x'.repeat(32))
  })
})

describe('the fingerprint', async () => {
  const pool = new Pool({ connectionString: await cloneDatabase() })
  afterAll(() => pool.end())
  const [one, two] = [createSigning('1'.repeat(40)), createSigning('2'.repeat(40))]

  test('of the first secret is stored; another secret is rejected', async () => {
    await Promise.all([checkFingerprint(pool, one, 'the value'), checkFingerprint(pool, one, 'the value')])
    await expect(checkFingerprint(pool, two, '/data/secret')).rejects.toThrow(
      /^SECRET: \/data\/secret is not the secret/,
    )
    await checkFingerprint(pool, one, 'the value')
    const { rows } = await pool.query('SELECT id, secret_fingerprint FROM installation')
    expect(rows).toEqual([{ id: 1, secret_fingerprint: one.fingerprint }])
    expect(JSON.stringify(rows)).not.toContain('1'.repeat(10))
  })
})
