import type { Metrics } from './metrics.ts'
import { type Storage, StorageError } from './storage/storage.ts'
import type { Timing } from './timings.ts'

/**
 * The same storage, with its operations timed and failed ones counted. The error of an operation is thrown unchanged.
 * A refusal for the client, such as a body that is too large, is no failure.
 */
export function countedStorage(
  { readNow, ...others }: Storage,
  { storageErrors, storageSeconds }: Pick<Metrics, 'storageErrors' | 'storageSeconds'>,
): Storage {
  const waiting = counted(others, {
    fail: (operation) => storageErrors.inc({ operation }),
    end: (operation, outcome, seconds) => storageSeconds.of(operation, outcome).observe(seconds),
  })
  return readNow ? { ...waiting, readNow: timedNow(readNow, storageSeconds.of('read', 'done')) } : waiting
}

/** Null is not counted: `read` of the same bytes follows. */
const timedNow =
  (readNow: NonNullable<Storage['readNow']>, timing: Timing): typeof readNow =>
  (key, start, end) => {
    const began = performance.now()
    const bytes = readNow(key, start, end)
    if (bytes) timing.observe((performance.now() - began) / 1000)
    return bytes
  }

interface Count {
  fail: (operation: string) => void
  end: (operation: string, outcome: 'done' | 'refused' | 'failed', seconds: number) => void
}

/** Wraps the methods of an object, of the objects in it, and of the objects that they return. */
function counted<T extends object>(target: T, count: Count): T {
  const wrap = (name: string, value: unknown): unknown => {
    if (isPlain(value)) return counted(value, count)
    if (typeof value !== 'function') return value
    return (...args: unknown[]) => {
      const began = performance.now()
      const result: unknown = value.apply(target, args)
      if (!(result instanceof Promise)) return result
      const secondsSince = () => (performance.now() - began) / 1000
      return result.then(
        (returned: unknown) => {
          // Failures of single objects are returned.
          const failures = Array.isArray(returned) && name === 'remove' ? returned : []
          for (const _ of failures) count.fail(name)
          count.end(name, failures.length > 0 ? 'failed' : 'done', secondsSince())
          return isPlain(returned) ? counted(returned, count) : returned
        },
        (error: unknown) => {
          const isFailure = error instanceof StorageError
          if (isFailure) count.fail(name)
          count.end(name, isFailure ? 'failed' : 'refused', secondsSince())
          throw error
        },
      )
    }
  }
  return Object.fromEntries(Object.entries(target).map(([name, value]) => [name, wrap(name, value)])) as T
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
