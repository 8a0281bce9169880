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
 * A statement that is sent together with those that begin its transaction: one round trip in place of several. The server
 * runs them in order, and the transaction stays open.
 * @see PostgreSQL, Frontend/Backend Protocol, Pipelining
 */
export class FirstStatement extends DriverQuery {
  readonly #begin: readonly string[]
  #begun = 0

  /** @param begin statements without rows */
  constructor(config: QueryConfig, begin: readonly string[]) {
    super(config)
    this.#begin = begin
  }

  override submit(connection: Connection): Error | null {
    connection.stream.cork()
    try {
      for (const text of this.#begin) {
        connection.parse({ name: '', text, types: [] }, true)
        connection.bind({}, true)
        connection.execute({}, true)
      }
      return super.submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }

  override handleCommandComplete(message: CommandComplete, connection: Connection): void {
    if (this.#begun === this.#begin.length) super.handleCommandComplete(message, connection)
    else this.#begun += 1
  }
}
