import type { Pool } from 'pg'
import type { Config } from '../../config.ts'
import { readMigrationState } from '../../platform/db/migrate.ts'
import { inspectIssuer } from '../../platform/identity/oidc.ts'
import { readKeyIds } from '../../platform/identity/token-keys.ts'
import { type Check, type DatabaseCheck, type DoctorFinding, describeError, ok, problem, warning } from './finding.ts'

const ANSWER_MS = 5_000

export const installationCheck: DatabaseCheck = {
  name: 'installation',
  settings: ['PUBLIC_URL', 'PORT'],
  run: checkInstallation,
}

export const issuerCheck: Check = {
  name: 'issuer',
  settings: ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_JWKS_URL', 'OIDC_TRUST_EMAIL', 'OIDC_CLIENT_ID'],
  run: checkIssuer,
}

/**
 * Compares the public keys at PUBLIC_URL with those of the database: they are random, so only processes of the same
 * database publish one of them. Whether any program answers there is the check `addresses`.
 */
async function checkInstallation(pool: Pool, { publicUrl }: Config): Promise<DoctorFinding[]> {
  if ((await readMigrationState(pool)).applied === null) return []
  const ownKeyIds = new Set(await readKeyIds(pool))
  const published = await readPublished(publicUrl)
  if (published === null) return []
  if (ownKeyIds.size === 0) return [ok('the database has no keys yet: the first sign-in creates one')]
  if (published.some((id) => ownKeyIds.has(id)))
    return [ok(`PUBLIC_URL (${publicUrl}) is answered by this installation`)]
  return [
    problem(
      `PUBLIC_URL (${publicUrl}) is answered by an installation with another database`,
      'Correct PUBLIC_URL, the upstream of its proxy, or DATABASE_URL.',
    ),
  ]
}

/** @returns IDs of the published keys. Null if PUBLIC_URL publishes none */
async function readPublished(publicUrl: string): Promise<string[] | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const response = await fetch(`${publicUrl}/.well-known/jwks.json`, { signal, redirect: 'manual' })
    const { keys } = (await response.json()) as { keys: { kid: string }[] }
    return keys.map(({ kid }) => kid)
  } catch {
    return null
  }
}

async function checkIssuer({ oidc }: Config): Promise<DoctorFinding[]> {
  if (!oidc) return [ok('OIDC_ISSUER is not set: administrators sign in with passwords only')]
  const place = `OIDC_ISSUER (${oidc.issuer})`
  try {
    const { keys, usable } = await inspectIssuer(oidc)
    if (usable === 0) {
      const remedy = 'Let the issuer publish an RSA, EC or Ed25519 key for signatures, or correct OIDC_JWKS_URL.'
      return [problem(`${place} publishes ${keys} keys, and none that may sign tokens`, remedy)]
    }
    const summary = `${place} publishes ${usable} keys; tokens must have the audience ${oidc.audience}`
    if (!oidc.issuer.startsWith('http:')) return [ok(summary)]
    return [
      warning(`${summary}. It is http: its keys may be replaced on the way`, 'Set OIDC_ISSUER to an https address.'),
    ]
  } catch (error) {
    const remedy =
      'Set OIDC_ISSUER exactly as in its tokens, with or without a slash at the end, or OIDC_JWKS_URL. Check that this host reaches it.'
    return [problem(`${place}: ${describeError(error)}`, remedy)]
  }
}
