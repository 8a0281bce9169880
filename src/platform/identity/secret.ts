import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { OperatorError } from '../../config.ts'
import { createFile } from '../storage/durable-file.ts'
import type { Signing } from './signing.ts'

export const MIN_SECRET_CHARS = 32

const secretFile = (dataDir: string) => join(dataDir, 'secret')

/**
 * Returns the root of all derived secrets. It is created once and stored in DATA_DIR, readable by its owner only.
 * @param isCreated create a missing file. Defaults to true
 * @throws OperatorError when the file is missing, empty or too short
 */
export async function rootSecret(dataDir: string, { isCreated = true } = {}): Promise<string> {
  const file = secretFile(dataDir)
  const storedSecret = await readSecret(dataDir)
  if (storedSecret === null && !isCreated) {
    throw new OperatorError(`SECRET: ${file} is missing; restore it from a backup, or set SECRET`)
  }
  const secret = storedSecret ?? (await createSecret(file))
  if (secret.trim().length >= MIN_SECRET_CHARS) return secret
  throw new OperatorError(
    `SECRET: ${file} has fewer than ${MIN_SECRET_CHARS} characters; restore it from a backup, or remove it if nothing was stored yet`,
  )
}

async function createSecret(file: string): Promise<string> {
  await createFile(file, randomBytes(48).toString('base64url'))
  // Another process may have created it first.
  return readFile(file, 'utf8')
}

/** Stores the secret of an installation that is restored. @throws OperatorError when DATA_DIR has another one */
export async function storeSecret(dataDir: string, secret: string): Promise<void> {
  const file = secretFile(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await createFile(file, secret)
  if ((await readFile(file, 'utf8')) !== secret) throw new OperatorError(`SECRET: ${file} has another secret`)
}

/** Reads the secret in DATA_DIR. Null if there is no file. */
export async function readSecret(dataDir: string): Promise<string | null> {
  try {
    return await readFile(secretFile(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

/**
 * Checks that all processes of a database have the same root secret. The first one stores its fingerprint.
 * @param origin the setting or file of the secret, for messages
 * @throws OperatorError when the database has another fingerprint
 */
export async function checkFingerprint(pool: Pool, { fingerprint }: Signing, origin: string): Promise<void> {
  await pool.query('INSERT INTO installation (id, secret_fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING', [
    fingerprint,
  ])
  if ((await readFingerprint(pool)) === fingerprint) return
  throw new OperatorError(
    `SECRET: ${origin} is not the secret that this database was set up with; restore that one, since stored secrets and issued addresses depend on it`,
  )
}

/** Returns the fingerprint of the secret that a database was set up with. Null if no process has stored one. */
export async function readFingerprint(pool: Pick<Pool, 'query'>): Promise<string | null> {
  const { rows } = await pool.query<{ secret_fingerprint: string }>('SELECT secret_fingerprint FROM installation')
  return rows[0]?.secret_fingerprint ?? null
}

/** Names the origin of a process's root secret, for messages. */
export const nameSecretOrigin = (secret: string | undefined, dataDir: string) =>
  secret === undefined ? secretFile(dataDir) : 'the value'
