/** An item whose operation was refused or failed. */
export interface FailedItem<Item> {
  item: Item
  error: Error
}

export interface EachOutcome<Item> {
  done: Item[]
  failed: FailedItem<Item>[]
}

interface Options {
  /** Maximum number of operations at the same time. 1 keeps the order of the items. Defaults to 4. */
  atOnce?: number
  /** Ends the run after the operations that have begun. Other items are neither done nor failed. */
  signal?: AbortSignal
  /** Called after each item with the number of finished ones. */
  onProgress?: (finished: number) => void
}

const AT_ONCE = 4

/** Runs an operation for each item. One that fails does not end the others. */
export async function runEach<Item>(
  items: readonly Item[],
  operate: (item: Item) => Promise<unknown>,
  { atOnce = AT_ONCE, signal, onProgress }: Options = {},
): Promise<EachOutcome<Item>> {
  const outcome: EachOutcome<Item> = { done: [], failed: [] }
  const remaining = items.values()
  let finished = 0
  async function work() {
    // All workers take from one iterator.
    for (const item of remaining) {
      if (signal?.aborted) return
      try {
        await operate(item)
        outcome.done.push(item)
      } catch (error) {
        outcome.failed.push({ item, error: error instanceof Error ? error : new Error(String(error)) })
      }
      finished += 1
      onProgress?.(finished)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
  const places = new Map(items.map((item, at) => [item, at]))
  const byPlace = (one: Item, other: Item) => (places.get(one) ?? 0) - (places.get(other) ?? 0)
  outcome.done.sort(byPlace)
  outcome.failed.sort((one, other) => byPlace(one.item, other.item))
  return outcome
}
