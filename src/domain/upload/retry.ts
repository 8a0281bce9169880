import type { Services } from '../../platform/context.ts'
import { AppError, toAppError } from '../../platform/errors.ts'

/** Time in milliseconds for which a call is repeated: longer than most failovers of a database, shorter than clients wait. */
const RETRY_MS = 15_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2000

/**
 * Repeats a call that must not fail because the database is unavailable for some seconds: the bytes of a whole upload
 * depend on it. An earlier call may have been committed, although it failed.
 * @throws the last failure after 15 seconds; any other failure at once
 */
export async function retryWhileUnavailable<T>({ clock }: Pick<Services, 'clock'>, run: () => Promise<T>): Promise<T> {
  const end = clock().getTime() + RETRY_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await run()
    } catch (error) {
      const isUnavailable = !(error instanceof AppError) && toAppError(error).code === 'unavailable'
      if (!isUnavailable || clock().getTime() + pauseMs > end) throw error
      // Many uploads may fail together.
      await Bun.sleep(pauseMs * (0.5 + Math.random() / 2))
    }
  }
}
