import type { ExecutionResult } from 'graphql'
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { nextTurn, PIECE_MS } from '../pieces.ts'
import type { FormatErrors } from './errors.ts'
import type { RequestContext } from './request.ts'
import { tooManyBytes } from './work.ts'

/**
 * Records, bytes or points of an answer that is written in pieces. Smaller ones are written at once; the points limit how
 * often they contain a text that was read once.
 */
const LARGE = { rows: 1000, bytes: 128 << 10, points: 500 }
/** Values of a part that is written at once, and characters of its texts. */
const PART = { values: 500, characters: 64 << 10 }

/** A result, and how it is written. */
interface Written extends ExecutionResult {
  stringify?: (result: ExecutionResult) => string
}

/**
 * Writes the data of a large result in pieces, between which other requests get a turn.
 * @returns a result that Yoga writes at once; an error `limit_reached` when it exceeds the limit of bytes, because an
 *   operation can select the same text many times
 */
export async function writeAnswer(
  result: ExecutionResult,
  { work, points, ctx }: Pick<RequestContext, 'work' | 'points' | 'ctx'>,
  format: FormatErrors,
): Promise<Written> {
  const { rows, bytes } = work.measured
  const isLarge = rows > LARGE.rows || bytes > LARGE.bytes || points.requested > LARGE.points
  if (!result.data || !isLarge) return result
  const data = await writePieces(result.data, work.addAnswer)
  if (data === null) {
    const error = tooManyBytes()
    return format({ errors: [new GraphQLError(error.message, { originalError: error })] }, ctx.requestId)
  }
  // Errors first, as `createFormatErrors` orders them.
  const stringify = ({ errors, extensions }: ExecutionResult) =>
    `{${member('errors', errors)}"data":${data},${member('extensions', extensions)}`.replace(/,$/, '}')
  return { ...result, stringify }
}

const member = (name: string, value: unknown) => (value === undefined ? '' : `"${name}":${JSON.stringify(value)},`)

/** Writes the answers of Yoga. Must come after the plugin that formats errors. */
export const answerPlugin = (format: FormatErrors): Plugin<RequestContext, RequestContext> => ({
  async onResultProcess({ result, setResult, serverContext }) {
    if (Symbol.asyncIterator in result) return
    if (!Array.isArray(result)) return setResult(await writeAnswer(result as ExecutionResult, serverContext, format))
    const written: Written[] = []
    for (const one of result) written.push(await writeAnswer(one, serverContext, format))
    setResult(written as never)
  },
})

/** @returns the JSON of a value; null if it exceeds the limit of the request */
async function writePieces(data: unknown, addBytes: (bytes: number) => boolean): Promise<string | null> {
  const pieces: string[] = []
  let began = performance.now()
  for (const piece of partsOf(data)) {
    if (!addBytes(Buffer.byteLength(piece))) return null
    pieces.push(piece)
    if (performance.now() - began > PIECE_MS) {
      await nextTurn()
      began = performance.now()
    }
  }
  return pieces.join('')
}

/** The JSON of a value in parts that are each written quickly. */
function* partsOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || value instanceof Date || isSmall(value)) {
    yield JSON.stringify(value)
  } else if (Array.isArray(value)) {
    yield '['
    for (const [at, item] of value.entries()) {
      if (at > 0) yield ','
      yield* partsOf(item)
    }
    yield ']'
  } else {
    let separator = '{'
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue
      yield `${separator}${JSON.stringify(name)}:`
      yield* partsOf(item)
      separator = ','
    }
    yield separator === '{' ? '{}' : '}'
  }
}

/** Whether a value has few values and short texts. Looks at no more of it than that. */
function isSmall(value: object): boolean {
  let { values, characters } = PART
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    values -= 1
    if (typeof next === 'string') characters -= next.length
    else if (typeof next === 'object' && next !== null) {
      const inner = Array.isArray(next) ? next : Object.values(next)
      if (inner.length > values) return false
      open.push(...inner)
    }
    if (values < 0 || characters < 0) return false
  }
  return true
}
