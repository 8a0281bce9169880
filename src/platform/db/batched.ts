interface Call<K, V> {
  key: K
  resolve: (value: V) => void
  reject: (error: unknown) => void
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Returns a function that loads one value. Calls that arrive while a batch is loading share the next one (group
 * commit). Nothing is cached.
 * @param load returns one value per key, in the order of the keys. An error rejects every call of the batch
 * @param options `max`: keys per batch, defaults to no limit. `turns`: turns of the event loop to wait before each
 *   batch so that it gathers more calls, defaults to 0. `lanes`: returns the number of batches
 *   that may load at once, which share the waiting calls, defaults to 1
 */
export function batched<K, V>(
  load: (keys: readonly K[]) => Promise<readonly V[]>,
  { max = Number.POSITIVE_INFINITY, turns = 0, lanes = (): number => 1 } = {},
): (key: K) => Promise<V> {
  const waiting: Call<K, V>[] = []
  let running = 0
  let loading = 0

  async function run(): Promise<void> {
    running += 1
    while (waiting.length > 0) {
      for (let turn = 0; turn < turns; turn++) await nextTurn()
      // A share of the calls, so that one batch is sent while another is loading.
      const batch = waiting.splice(0, Math.min(max, Math.ceil(waiting.length / Math.max(1, lanes() - loading))))
      if (batch.length === 0) break
      loading += 1
      try {
        const values = await load(batch.map(({ key }) => key))
        for (const [place, { resolve }] of batch.entries()) resolve(values[place] as V)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      } finally {
        loading -= 1
      }
    }
    running -= 1
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (running < lanes()) void run()
    })
}
