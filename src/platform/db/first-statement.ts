import { type Connection, Query, type QueryConfig } from 'pg'

/** A message of the protocol that names the end of a statement. */
interface CommandComplete {
  text: string
}

/** The driver's `Query`, as far as it is used here. Its types leave this out. */
interface SentQuery {
  submit(connection: Connection): Error | null
  handleCommandComplete(message: CommandComplete, connection: Connection): void
}

const DriverQuery = Query as unknown as new (config: QueryConfig) => SentQuery

/**
 * A statement that is sent together with the BEGIN of its transaction: one round trip in place of two. The server runs
 * both in order, and the transaction stays open.
 * @see PostgreSQL, Frontend/Backend Protocol, Pipelining
 */
export class FirstStatement extends DriverQuery {
  #hasBegun = false

  override submit(connection: Connection): Error | null {
    connection.stream.cork()
    try {
      connection.parse({ name: '', text: 'BEGIN', types: [] }, true)
      connection.bind({}, true)
      connection.execute({}, true)
      return super.submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }

  override handleCommandComplete(message: CommandComplete, connection: Connection): void {
    if (this.#hasBegun) super.handleCommandComplete(message, connection)
    // The answer to BEGIN.
    else this.#hasBegun = true
  }
}
