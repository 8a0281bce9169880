import type { Services } from '../../src/platform/context.ts'

/** Services whose transactions fail with an error. */
export function withFailingTransactions(services: Services, error: unknown): Services {
  const fail = () => Promise.reject(error)
  const get = (db: object, name: string) => (name === '$transaction' ? fail : Reflect.get(db, name))
  return { ...services, db: new Proxy<Services['db']>(services.db, { get }) }
}
