import type { Transaction } from '../client.ts'
import type { Reader } from './reader.ts'
import type { Statement } from './statement.ts'

interface Delegate {
  findMany: (args: object) => Promise<unknown>
  findFirst: (args: object) => Promise<unknown>
  count: (args: object) => Promise<number>
}

/**
 * Reads with Prisma on the connection of a transaction: it sees the transaction's writes, and needs no second
 * connection. Rejects plans and keysets, which only GraphQL lists use. The values of a hand-written statement have the
 * types that Prisma gives them.
 */
export function createTransactionReader(tx: Transaction): Reader {
  const findDelegate = (model: string) =>
    (tx as unknown as Record<string, Delegate>)[model.charAt(0).toLowerCase() + model.slice(1)] as Delegate
  const checked = ({ plan, cursor, ...args }: { plan?: unknown; cursor?: unknown }) => {
    if (plan !== undefined || cursor !== undefined) throw new Error('a transaction supports no plan and no cursor')
    return args
  }
  const reader = {
    readMany: (model: string, args: object) => findDelegate(model).findMany(checked(args)),
    readFirst: (model: string, args: object) => findDelegate(model).findFirst(checked(args)),
    count: (model: string, where: object | undefined) => findDelegate(model).count({ where }),
    query: async ({ text, values }: Statement) =>
      (await tx.$queryRawUnsafe<object[]>(text, ...values)).map((row) => Object.values(row)),
  }
  return reader as unknown as Reader
}
