import type { Metrics } from './metrics.ts'
import { type Storage, StorageError } from './storage/storage.ts'

/** The same storage, with failed operations counted. The error of an operation is thrown unchanged. */
export const countedStorage = (storage: Storage, { storageErrors }: Pick<Metrics, 'storageErrors'>): Storage =>
  counted(storage, (operation) => storageErrors.inc({ operation }))

/** Wraps the methods of an object, of the objects in it, and of the objects that they return. */
function counted<T extends object>(target: T, count: (operation: string) => void): T {
  const wrap = (name: string, value: unknown): unknown => {
    if (isPlain(value)) return counted(value, count)
    if (typeof value !== 'function') return value
    return (...args: unknown[]) => {
      const result: unknown = value.apply(target, args)
      if (!(result instanceof Promise)) return result
      return result.then(
        (returned: unknown) => {
          // Failures of single objects are returned.
          if (Array.isArray(returned) && name === 'remove') for (const _ of returned) count(name)
          return isPlain(returned) ? counted(returned, count) : returned
        },
        (error: unknown) => {
          if (error instanceof StorageError) count(name)
          throw error
        },
      )
    }
  }
  return Object.fromEntries(Object.entries(target).map(([name, value]) => [name, wrap(name, value)])) as T
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
