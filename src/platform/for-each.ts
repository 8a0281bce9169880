/** Runs a function for each item, a limited number of them at once. Ends with the first error. */
export async function forEach<T>(
  items: readonly T[],
  parallel: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: Math.min(parallel, items.length) }, async () => {
      for (const item of queue) await run(item)
    }),
  )
}
