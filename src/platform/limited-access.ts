import type { DatabaseAccess } from './context.ts'
import { runInTurn } from './db/adapter.ts'
import type { Database } from './db/client.ts'
import type { Reader } from './db/query/reader.ts'
import type { TakeTurn } from './db/turns.ts'

interface Limited {
  takeTurn: TakeTurn
  /** Signal of statements that get none, with their limits. */
  lasting: AbortSignal
}

/** Returns the ways to the database for one request, whose statements take turns. `pool` itself is not limited. */
export function limitedAccess({ db, reader, lists, pool }: DatabaseAccess, limited: Limited): DatabaseAccess {
  return {
    db: limitedDatabase(db, limited.takeTurn),
    reader: limitedReader(reader, limited.lasting),
    lists: limitedReader(lists, limited.lasting),
    pool,
  }
}

/** @param lasting the signal of reads that get none */
function limitedReader(reader: Reader, lasting: AbortSignal): Reader {
  const limited: Reader = {
    readMany: (name, args, signal = lasting) => reader.readMany(name, args, signal),
    readFirst: (name, args, signal = lasting) => reader.readFirst(name, args, signal),
    count: (name, where, signal = lasting) => reader.count(name, where, signal),
    sum: (name, field, where, signal = lasting) => reader.sum(name, field, where, signal),
    query: (statement, signal = lasting) => reader.query(statement, signal),
  }
  return limited
}

type Method = (...args: unknown[]) => unknown

/** A transaction takes one turn, and so does any other operation, whose statements run one after another. */
function limitedDatabase(db: Database, takeTurn: TakeTurn): Database {
  const limited =
    (method: Method, owner: object): Method =>
    (...args) =>
      takeTurn(() => runInTurn(async () => method.apply(owner, args)))
  const limitedMethods = (owner: object, member: (name: string, value: unknown) => unknown) =>
    new Proxy(owner, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value === 'function') return limited(value as Method, target)
        return typeof name === 'string' ? member(name, value) : value
      },
    })
  return limitedMethods(db, (name, value) =>
    typeof value === 'object' && value !== null && !name.startsWith('_')
      ? limitedMethods(value, (_, inner) => inner)
      : value,
  ) as Database
}
