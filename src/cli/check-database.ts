import type { Pool } from 'pg'
import { type Config, OperatorError } from '../config.ts'
import { checkConnection, checkReplica, checkSameDatabase } from '../platform/db/connect.ts'

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

/**
 * Checks the address of the read replica.
 * @returns why it cannot be reached now, else null
 * @throws OperatorError for a mistake of the operator
 */
export async function findReplicaOutage(url: string, primary: Pool): Promise<OperatorError | null> {
  try {
    await checkConnection(url, 'DATABASE_READ_URL')
    await checkReplica(url, primary)
    return null
  } catch (error) {
    const cause = (error as Error).cause as { code?: string } | undefined
    // The service works without its replica, but not with a wrong password or database.
    const isOutage = error instanceof OperatorError && cause !== undefined && !/^(28|3D)/.test(cause.code ?? '')
    if (isOutage) return error
    throw error
  }
}
