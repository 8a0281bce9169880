/** Waits for a promise for a limited time. Does not end its work. @throws the result of `reason` after that time */
export async function withTimeout<T>(work: Promise<T>, ms: number, reason: () => Error): Promise<T> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(() => timer.reject(reason()), ms)
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
