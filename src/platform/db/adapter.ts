import { AsyncLocalStorage } from 'node:async_hooks'
import { PrismaPg } from '@prisma/adapter-pg'
import { oneAtATime } from '../one-at-a-time.ts'

const turns = new AsyncLocalStorage<ReturnType<typeof oneAtATime>>()

/**
 * Runs an operation of Prisma whose statements use one connection at a time. The storage only orders statements: were it
 * another operation's, they would wait for each other.
 */
export const runInTurn = <T>(operation: () => Promise<T>): Promise<T> => turns.run(oneAtATime(), operation)

/**
 * Prisma's driver adapter, whose transactions run one statement at a time. Prisma reads several relations of a record
 * concurrently, also in a transaction, which has a single connection: node-postgres warns about queued statements, and
 * its next major version rejects them.
 */
export class Adapter extends PrismaPg {
  override async connect() {
    const adapter = await super.connect()
    for (const name of ['queryRaw', 'executeRaw'] as const) {
      const send = adapter[name].bind(adapter) as (query: never) => Promise<never>
      adapter[name] = (query: unknown) => {
        const inTurn = turns.getStore()
        return inTurn ? inTurn(() => send(query as never)) : send(query as never)
      }
    }
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
