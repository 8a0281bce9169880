/**
 * Repeats the round of a task until it processes less than a whole batch, so that each statement is short.
 * @param round returns the number of rows that it has processed
 * @throws the reason of the signal
 */
export async function inBatches(size: number, signal: AbortSignal, round: () => Promise<number>): Promise<void> {
  let rows: number
  do {
    signal.throwIfAborted()
    rows = await round()
  } while (rows === size)
}
