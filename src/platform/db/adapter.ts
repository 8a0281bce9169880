import { AsyncLocalStorage } from 'node:async_hooks'
import { PrismaPg } from '@prisma/adapter-pg'
import { oneAtATime } from '../one-at-a-time.ts'

type PgAdapter = Awaited<ReturnType<PrismaPg['connect']>>
type PgTransaction = Awaited<ReturnType<PgAdapter['startTransaction']>>
type SqlQuery = Parameters<PgAdapter['queryRaw']>[0]

const statement = (sql: string): SqlQuery => ({ sql, args: [], argTypes: [] })

/** Whether a statement changes nothing, as far as its first word shows. */
const isRead = ({ sql }: SqlQuery): boolean => /^\s*SELECT\b/i.test(sql)

const turns = new AsyncLocalStorage<ReturnType<typeof oneAtATime>>()

/**
 * Runs an operation of Prisma whose statements use one connection at a time. The storage only orders statements: were it
 * another operation's, they would wait for each other.
 */
export const runInTurn = <T>(operation: () => Promise<T>): Promise<T> => turns.run(oneAtATime(), operation)

function takeTurn<T>(send: () => Promise<T>): Promise<T> {
  const turn = turns.getStore()
  return turn ? turn(send) : send()
}

/**
 * Prisma's driver adapter with two changes.
 *
 * - Transactions run one statement at a time. Prisma reads several relations of a record concurrently, also in a
 *   transaction, which has a single connection: node-postgres warns about queued statements, and its next major version
 *   rejects them.
 * - A single statement that changes rows runs in a transaction, so that it has no effect after its request has failed
 *   on a silent connection (decision 0054).
 */
export class Adapter extends PrismaPg {
  override async connect() {
    const adapter = await super.connect()
    const start = adapter.startTransaction.bind(adapter)
    adapter.startTransaction = async (isolationLevel) => inSequence(await start(isolationLevel))
    const commit = async <T>(write: (transaction: PgTransaction) => Promise<T>): Promise<T> => {
      const transaction = await start()
      try {
        const result = await write(transaction)
        await transaction.executeRaw(statement('COMMIT'))
        return result
      } catch (error) {
        await transaction.executeRaw(statement('ROLLBACK')).catch(() => {})
        throw error
      } finally {
        // Returns the connection to the pool. The adapter sends nothing.
        await transaction.commit()
      }
    }
    const { queryRaw } = adapter
    adapter.queryRaw = (query) =>
      takeTurn(() =>
        isRead(query) ? queryRaw.call(adapter, query) : commit((transaction) => transaction.queryRaw(query)),
      )
    adapter.executeRaw = (query) => takeTurn(() => commit((transaction) => transaction.executeRaw(query)))
    return adapter
  }
}

function inSequence(transaction: PgTransaction): PgTransaction {
  const turn = oneAtATime()
  const { queryRaw, executeRaw } = transaction
  transaction.queryRaw = (query) => turn(() => queryRaw.call(transaction, query))
  transaction.executeRaw = (query) => turn(() => executeRaw.call(transaction, query))
  return transaction
}
