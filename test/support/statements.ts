import type { Pool } from 'pg'

/** Notes the statements that go through a pool's connections. */
export function watchStatements(pool: Pool): { texts: string[]; stop: () => void } {
  const texts: string[] = []
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
        texts.push(text)
        return query.apply(client, args)
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
  return { texts, stop: () => Object.assign(pool, { connect }) }
}
