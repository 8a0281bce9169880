interface LiveSource<T> {
  /** Starts a read of items when one is due. Null when none is; it is asked again after each wake-up. */
  read: () => Promise<void> | null
  /** Removes and returns the next item. */
  shift: () => T | undefined
  /** Called once, at the end. */
  close: () => void
}

/**
 * Creates an endless stream of items for one consumer, which waits for the next one. An error of a read ends it.
 */
export function createLiveItems<T, E extends Error = Error>({ read, shift, close }: LiveSource<T>) {
  let failure: E | null = null
  let isClosed = false
  let wake = () => {}

  function end(): void {
    if (isClosed) return
    isClosed = true
    close()
    wake()
  }

  const done = { done: true as const, value: undefined }

  async function next(): Promise<IteratorResult<T | E, undefined>> {
    while (!isClosed) {
      if (failure) {
        end()
        return { done: false, value: failure }
      }
      const reading = read()
      if (reading) {
        await reading.catch((error) => {
          end()
          throw error
        })
        continue
      }
      const item = shift()
      if (item !== undefined) return { done: false, value: item }
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    return done
  }

  /** Not a generator: its `return` would wait for the next item. */
  const items = {
    next,
    return: async () => {
      end()
      return done
    },
    throw: async (error: unknown) => {
      end()
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
  } satisfies AsyncIterableIterator<T | E, undefined>

  return {
    items,
    /** Reads and sends what there is, after a change of the source. */
    wake: () => wake(),
    /** Ends the stream with an error as its last item, before all items that wait. */
    fail: (error: E) => {
      failure ??= error
      wake()
    },
    end,
  }
}
