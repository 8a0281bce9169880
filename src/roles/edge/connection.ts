/** The connection of a request. */
export interface EdgeConnection {
  /** Returns the address of the peer. */
  peer: () => string | undefined
  /** Sets the number of seconds without data after which the connection is closed. */
  setIdle?: (seconds: number) => void
}
