import type { Context } from '../context.ts'
import type { Deadline } from './deadline.ts'
import type { Tally } from './limits.ts'

/** What the plugins know of the request whose operations they see; the operations of a batch share it. */
export interface RequestContext {
  ctx: Context
  deadline: Deadline
  tally: Tally
  isBatch?: boolean
  /** Points that its operations have asked for so far; an object, as each operation gets a copy of what is around it. */
  points: { requested: number }
  /** Where the client is, for those without a viewer. */
  address: string
}
