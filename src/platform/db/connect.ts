import { Client } from 'pg'
import { OperatorError } from '../../config.ts'

const MIN_VERSION = 15
const CONNECT_TIMEOUT_MS = 10_000

/**
 * Checks that a database is reachable and recent enough, so that a mistake stops the start.
 * @param setting names the database in messages
 * @throws OperatorError with the reason
 */
export async function checkConnection(url: string, setting: 'DATABASE_URL' | 'DATA_DIR'): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    )
    const version = rows[0]?.version ?? 0
    if (version < MIN_VERSION) {
      throw new OperatorError(`${setting}: PostgreSQL ${MIN_VERSION} or newer is required, found ${version}`)
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${setting}: ${reasonOf(error, url)}`, { cause: error })
  } finally {
    await client.end().catch(() => {})
  }
}

function reasonOf(error: unknown, url: string): string {
  const { code, message } = error as { code?: string; message: string }
  switch (code) {
    case '28P01':
    case '28000':
      return 'the database rejects the user or the password'
    case '3D000':
      return `the database "${decodeURIComponent(new URL(url).pathname.slice(1))}" does not exist; create it first`
    default:
      return `the database cannot be reached (${code ?? message})`
  }
}
