import { PrismaPg } from '@prisma/adapter-pg'
import { oneAtATime } from '../one-at-a-time.ts'

/**
 * Prisma's driver adapter, whose transactions run one statement at a time. Prisma reads several relations of a record
 * concurrently, also in a transaction, which has a single connection: node-postgres warns about queued statements, and
 * its next major version rejects them.
 */
export class Adapter extends PrismaPg {
  override async connect() {
    const adapter = await super.connect()
    const start = adapter.startTransaction.bind(adapter)
    adapter.startTransaction = async (isolationLevel) => {
      const transaction = await start(isolationLevel)
      const inTurn = oneAtATime()
      const { queryRaw, executeRaw } = transaction
      transaction.queryRaw = (query) => inTurn(() => queryRaw.call(transaction, query))
      transaction.executeRaw = (query) => inTurn(() => executeRaw.call(transaction, query))
      return transaction
    }
    return adapter
  }
}
