import { AppError } from '../../platform/errors.ts'

/** Upload bodies that one process reads at once. Each takes about 2 MiB of memory (`bun run bench covers`). */
const MAX_BODIES = 256
const RETRY_AFTER_SECONDS = 5

/** Reads a body within the limit of its process. */
export type WithBody = <T>(read: () => Promise<T>) => Promise<T>

/**
 * Limits the number of upload bodies that are read at once.
 * @throws AppError `unavailable` with a time to retry, before anything of the body is read
 */
export function createBodyLimit(max = MAX_BODIES): WithBody {
  let open = 0
  return async (read) => {
    if (open >= max) {
      throw new AppError('unavailable', 'The service is receiving too many uploads. Try again shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    open += 1
    try {
      return await read()
    } finally {
      open -= 1
    }
  }
}
