interface Call<K, V> {
  key: K
  resolve: (value: V) => void
  reject: (error: unknown) => void
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

function resolveAll<V>(batch: readonly Call<unknown, V>[], values: readonly V[]): void {
  for (const [place, { resolve }] of batch.entries()) resolve(values[place] as V)
}

function rejectAll(batch: readonly Call<unknown, never>[], error: unknown): void {
  for (const { reject } of batch) reject(error)
}

/** Time after which a batch gathers no more calls, in milliseconds: turns are long while the process does other work. */
const GATHERING_MS = 1
/** Maximum number of stalled batches. Each occupies a connection. */
const MAX_STALLED = 4

/**
 * Returns a function that loads one value. Calls that arrive while a batch is loading share the next one (group
 * commit). Nothing is cached.
 * @param load returns one value per key, in the order of the keys. An error rejects every call of the batch
 * @param options `max`: keys per batch, defaults to no limit. `turns`: turns of the event loop to wait before each
 *   batch so that it gathers more calls, at most for a millisecond, defaults to 0. `lanes`: returns the number of batches
 *   that may load at once, which share the waiting calls, defaults to 1. `stallMs`: time after which the next batch no
 *   longer waits for one that is loading, because its connection may be silent, in milliseconds, defaults to 1,000
 */
export function batched<K, V>(
  load: (keys: readonly K[]) => Promise<readonly V[]>,
  { max = Number.POSITIVE_INFINITY, turns = 0, lanes = (): number => 1, stallMs = 1_000 } = {},
): (key: K) => Promise<V> {
  const waiting: Call<K, V>[] = []
  let running = 0
  let loading = 0
  let stalled = 0

  /** Loads batches until no call is waiting, or until one of them stalls, which leaves the rest to another lane. */
  async function run(): Promise<void> {
    running += 1
    let isStalled = false
    const stall = () => {
      if (stalled >= MAX_STALLED) return
      isStalled = true
      stalled += 1
      running -= 1
      loading -= 1
      if (waiting.length > 0) void run()
    }
    while (waiting.length > 0) {
      const began = performance.now()
      for (let turn = 0; turn < turns && performance.now() - began < GATHERING_MS; turn++) await nextTurn()
      // A share of the calls, so that one batch is sent while another is loading.
      const batch = waiting.splice(0, Math.min(max, Math.ceil(waiting.length / Math.max(1, lanes() - loading))))
      if (batch.length === 0) break
      loading += 1
      const timer = setTimeout(stall, stallMs)
      try {
        resolveAll(batch, await load(batch.map(({ key }) => key)))
      } catch (error) {
        rejectAll(batch, error)
      }
      clearTimeout(timer)
      if (isStalled) {
        stalled -= 1
        return
      }
      loading -= 1
    }
    running -= 1
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (running < lanes()) void run()
    })
}
