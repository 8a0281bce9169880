import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { OperatorError } from '../../config.ts'
import { createFile } from '../storage/durable-file.ts'
import type { Signing } from './signing.ts'

export const MIN_SECRET_CHARS = 32

const secretFile = (dataDir: string) => join(dataDir, 'secret')

/**
 * The root of every derived secret, created once and kept in DATA_DIR for its owner alone.
 * @throws OperatorError when the file is empty or too short
 */
export async function rootSecret(dataDir: string): Promise<string> {
  const file = secretFile(dataDir)
  const secret = (await readSecret(file)) ?? (await createSecret(file))
  if (secret.trim().length >= MIN_SECRET_CHARS) return secret
  throw new OperatorError(
    `SECRET: ${file} has fewer than ${MIN_SECRET_CHARS} characters; restore it from a backup, or remove it if nothing was stored yet`,
  )
}

async function createSecret(file: string): Promise<string> {
  await createFile(file, randomBytes(48).toString('base64url'))
  // Another process may have been first.
  return readFile(file, 'utf8')
}

async function readSecret(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

/**
 * Makes sure that all processes on a database have one root secret: the first one leaves its fingerprint there.
 * @param origin names the setting or file that the secret is from
 * @throws OperatorError when the database has another fingerprint
 */
export async function checkFingerprint(pool: Pool, { fingerprint }: Signing, origin: string): Promise<void> {
  await pool.query('INSERT INTO installation (id, secret_fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING', [
    fingerprint,
  ])
  const { rows } = await pool.query<{ secret_fingerprint: string }>('SELECT secret_fingerprint FROM installation')
  if (rows[0]?.secret_fingerprint === fingerprint) return
  throw new OperatorError(
    `SECRET: ${origin} is not the secret that this database was set up with; restore that one, since stored secrets and issued addresses depend on it`,
  )
}

/** Where the root secret of a process is from, for messages. */
export const originOf = (secret: string | undefined, dataDir: string) =>
  secret === undefined ? secretFile(dataDir) : 'the value'
