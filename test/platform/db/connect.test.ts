import { expect, test } from 'bun:test'
import { checkConnection } from '../../../src/platform/db/connect.ts'
import { emptyDatabase } from '../../support/postgres.ts'

test('a database in another encoding than UTF8 stops the start with what to do', async () => {
  await checkConnection(await emptyDatabase(), 'DATABASE_URL')
  const rule = 'the encoding must be UTF8, found SQL_ASCII'
  const remedy = "create the database with ENCODING 'UTF8' TEMPLATE template0"
  await expect(checkConnection(await emptyDatabase('SQL_ASCII'), 'DATABASE_URL')).rejects.toThrow(
    `DATABASE_URL: ${rule}; ${remedy}`,
  )
})
