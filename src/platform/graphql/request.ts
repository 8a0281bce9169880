import type { Context } from '../context.ts'
import type { Work } from '../work.ts'
import type { Deadline } from './deadline.ts'
import type { Tally } from './limits.ts'

/** The written part of the answer to a request. */
export interface WrittenAnswer {
  bytes: number
  /** The body, when it was written in pieces. */
  pieces: Uint8Array[] | null
}

/** Request state of the plugins. The operations of a batch share it. */
export interface RequestContext {
  ctx: Context
  deadline: Deadline
  tally: Tally
  work: Work
  /** An object, as `points`. */
  written: WrittenAnswer
  isBatch?: boolean
  /** Whether only a query may run: the request is a GET. */
  isQueryOnly: boolean
  /** Points of its operations so far. An object, because each operation gets a copy of the context. */
  points: { requested: number }
  /** Address block of the client, whose points a request without a viewer takes. */
  address: string
}
