import type { Config } from '../config.ts'
import { checkConnection, checkSameDatabase } from '../platform/db/connect.ts'

/**
 * Checks the addresses of the database.
 * @returns the address of the server itself, and whether `url` may be a pooler
 * @throws OperatorError for a mistake of the operator
 */
export async function checkDatabase({ isEmbedded, databaseDirectUrl }: Config, url: string) {
  const isPooled = databaseDirectUrl !== undefined
  await checkConnection(url, isEmbedded ? 'DATA_DIR' : 'DATABASE_URL', { isPooled })
  if (!isPooled) return { directUrl: url, isPooled }
  await checkConnection(databaseDirectUrl, 'DATABASE_DIRECT_URL')
  await checkSameDatabase(url, databaseDirectUrl)
  return { directUrl: databaseDirectUrl, isPooled }
}
