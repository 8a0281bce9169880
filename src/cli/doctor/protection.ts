import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { type Check, type DoctorFinding, guide, ok, warning } from './finding.ts'

/** Words of examples. A generated secret does not contain them. */
const EXAMPLE_WORDS = /change.?me|example|password|secret|default|tonearm|insecure/i
/** A generated secret has more. */
const MIN_DIFFERENT_CHARS = 10
const DEFAULT_PASSWORDS = new Set(['', 'admin', 'changeme', 'minioadmin', 'password', 'postgres', 'secret', 'tonearm'])

export const protectionChecks: Check[] = [
  {
    name: 'protection',
    settings: ['WEBHOOK_ALLOW_PRIVATE', 'SOURCE_ALLOW_PRIVATE', 'RATE_LIMITS', 'DATABASE_URL'],
    run: checkProtection,
  },
  { name: 'secrets', settings: ['SECRET', 'DATABASE_URL', 'DATA_DIR'], run: checkSecrets },
]

/** Rules that the embedded default relaxes. */
function checkProtection({ isEmbedded, isWebhookPrivateAllowed, isSourcePrivateAllowed, isRateLimited }: Config) {
  if (isEmbedded) return [ok(`the embedded default, for a trial on one machine; ${guide('What differs')}`)]
  const relaxed = [
    ...(isWebhookPrivateAllowed ? ['WEBHOOK_ALLOW_PRIVATE is on: webhooks reach hosts of your network'] : []),
    ...(isSourcePrivateAllowed ? ['SOURCE_ALLOW_PRIVATE is on: source URLs reach hosts of your network'] : []),
    ...(isRateLimited ? [] : ['RATE_LIMITS is off: a client may send any number of requests']),
  ]
  if (relaxed.length === 0) return [ok('private addresses are refused, rate limits are on')]
  return relaxed.map((summary) => warning(summary, `Unset ${summary.split(' ')[0]}, unless all clients are trusted.`))
}

async function checkSecrets({ secret, databaseUrl, storage, dataDir }: Config): Promise<DoctorFinding[]> {
  const findings = [
    ...(secret !== undefined && isGuessable(secret)
      ? [warning('SECRET looks like an example', 'Before the first start, set SECRET=$(openssl rand -hex 32).')]
      : []),
    ...(databaseUrl && hasDefaultPassword(databaseUrl)
      ? [warning('the password in DATABASE_URL is a default', 'Set another one with ALTER ROLE … PASSWORD.')]
      : []),
    ...(storage.kind === 's3' && DEFAULT_PASSWORDS.has(storage.secretAccessKey)
      ? [warning('S3_SECRET_ACCESS_KEY is a default', 'Create a key for this service.')]
      : []),
  ]
  for (const name of ['secret', 'credentials.json']) {
    const file = join(dataDir, name)
    const fileStats = await stat(file).catch(() => null)
    if (fileStats && (fileStats.mode & 0o077) !== 0) {
      findings.push(warning(`other users may read ${file}`, `chmod 600 ${file}`))
    }
  }
  return findings.length > 0 ? findings : [ok('no default passwords; files of DATA_DIR are private')]
}

const isGuessable = (secret: string) => EXAMPLE_WORDS.test(secret) || new Set(secret).size < MIN_DIFFERENT_CHARS

function hasDefaultPassword(databaseUrl: string): boolean {
  const { password, username, hostname } = new URL(databaseUrl)
  const isLocal = hostname === 'localhost' || hostname.startsWith('127.')
  return !isLocal && (DEFAULT_PASSWORDS.has(decodeURIComponent(password)) || password === username)
}
