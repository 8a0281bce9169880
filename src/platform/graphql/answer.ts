import type { ExecutionResult } from 'graphql'
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { AppError } from '../errors.ts'
import { writeJson } from '../http/large-answer.ts'
import type { ReadLimits } from '../work.ts'
import type { Deadline } from './deadline.ts'
import type { FormatErrors } from './errors.ts'
import type { RequestContext } from './request.ts'

/** Maximum number of records that the statements of a request return. */
export const MAX_ROWS = 25_000
/** Maximum number of bytes that they return, and that an answer has. */
export const MAX_BYTES = 8 << 20
/** Points of an answer that is written in pieces, because it may contain a text that was read once many times. */
const MANY_POINTS = 500

const limitReached = (limit: string, advice: string) =>
  new AppError('limit_reached', `query: the answer exceeds ${limit}; select ${advice}`)
const tooManyBytes = () => limitReached(`${MAX_BYTES / (1 << 20)} MiB`, 'fewer fields, or smaller pages')
const tooManyRows = () => limitReached(`${MAX_ROWS} records`, 'smaller pages')

/** Limits of what a request reads, independent of its price. Beyond them it ends with `limit_reached`. */
export const createReadLimits = ({ stop }: Pick<Deadline, 'stop'>): ReadLimits => ({
  rows: MAX_ROWS,
  bytes: MAX_BYTES,
  onExcess: (limit) => stop(limit === 'rows' ? tooManyRows() : tooManyBytes()),
})

/** A result, and how it is written. */
interface WritableResult extends ExecutionResult {
  stringify?: (result: ExecutionResult) => string
}

/**
 * Writes a large result in pieces, between which other requests get a turn.
 * @returns a result that Yoga writes at once; the body is in `request.written`. An error `limit_reached` when it exceeds
 *   the limit of bytes, because an operation can select the same text many times, `timeout` when its turn comes too late
 */
export async function writeAnswer(
  result: ExecutionResult,
  { work, points, written, ctx }: Pick<RequestContext, 'work' | 'points' | 'written' | 'ctx'>,
  format: FormatErrors,
): Promise<WritableResult> {
  if (!result.data || !(work.isLarge() || points.requested > MANY_POINTS)) return result
  const addBytes = (count: number) => {
    written.bytes += count
    return written.bytes <= MAX_BYTES
  }
  try {
    await work.awaitLargeTurn(points.requested)
    const data = await writeJson(result.data, addBytes)
    if (data === null) throw tooManyBytes()
    // Errors first, as `createFormatErrors` orders them.
    const stringify = ({ errors, extensions }: ExecutionResult) => {
      const [start, end] = [`{${member('errors', errors)}"data":`, `,${member('extensions', extensions)}`]
      written.pieces = [Buffer.from(start), ...data, Buffer.from(end.replace(/,$/, '}'))]
      return ''
    }
    return { ...result, stringify }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return format({ errors: [new GraphQLError(error.message, { originalError: error })] }, ctx.requestId)
  }
}

const member = (name: string, value: unknown) => (value === undefined ? '' : `"${name}":${JSON.stringify(value)},`)

/** Writes the answers of Yoga. Must come after the plugin that formats errors. */
export const answerPlugin = (format: FormatErrors): Plugin<RequestContext, RequestContext> => ({
  async onResultProcess({ result, setResult, serverContext }) {
    if (Symbol.asyncIterator in result) return
    // The operations of a batch share one body.
    if (!Array.isArray(result)) setResult(await writeAnswer(result as ExecutionResult, serverContext, format))
  },
})
