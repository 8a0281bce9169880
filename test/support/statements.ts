import type { Pool } from 'pg'

/** Statements that went through a pool's connections. */
export interface WatchedStatements {
  texts: string[]
  /** Numbers of rows that the statements have read, in the order of the texts. */
  rows: number[]
  /** Characters of all rows that were read, as JSON. */
  characters: number
  stop: () => void
}

/** Notes the statements that go through a pool's connections. */
export function watchStatements(pool: Pool): WatchedStatements {
  const texts: string[] = []
  const watch: WatchedStatements = { texts, rows: [], characters: 0, stop: () => Object.assign(pool, { connect }) }
  const measure = (place: number, result: { rows?: unknown[] } | undefined) => {
    watch.rows[place] = result?.rows?.length ?? 0
    watch.characters += JSON.stringify(result?.rows ?? [], (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    ).length
  }
  const connect = pool.connect.bind(pool)
  const watched = new WeakSet<object>()
  const note = (client: object) => {
    if (watched.has(client)) return
    watched.add(client)
    const { query } = client as { query: (...args: unknown[]) => unknown }
    Object.assign(client, {
      query: (...args: unknown[]) => {
        const [first] = args
        const text = typeof first === 'string' ? first : (first as { text: string }).text
        const place = texts.push(text) - 1
        const callback = args.at(-1)
        if (typeof callback !== 'function') {
          const answer = query.apply(client, args)
          if (answer instanceof Promise)
            answer.then(
              (result) => measure(place, result),
              () => {},
            )
          return answer
        }
        const measured = (error: unknown, result: { rows?: unknown[] }) => {
          measure(place, result)
          callback(error, result)
        }
        return query.apply(client, [...args.slice(0, -1), measured])
      },
    })
  }
  // The pool's own `query` borrows a connection by a callback, everybody else waits for it.
  Object.assign(pool, {
    connect: (callback?: (error: unknown, client: object, release: unknown) => void) =>
      callback
        ? connect((error, client, release) => {
            if (client) note(client)
            callback(error, client as object, release)
          })
        : connect().then((client) => {
            note(client)
            return client
          }),
  })
  return watch
}
