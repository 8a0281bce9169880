/** Waits. Rejects with the signal's reason as soon as it is aborted. */
export function delay(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/**
 * Aborts a controller with a signal. In place of `AbortSignal.any`, whose signal nothing but the request refers to.
 * @returns a function that ends this
 */
export function followSignal(controller: AbortController, signal?: AbortSignal | null): () => void {
  const stop = () => controller.abort(signal?.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  return () => signal?.removeEventListener('abort', stop)
}
