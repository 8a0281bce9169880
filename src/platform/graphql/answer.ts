import type { ExecutionResult } from 'graphql'
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { isTurnOver, nextTurn } from '../pieces.ts'
import type { FormatErrors } from './errors.ts'
import type { RequestContext } from './request.ts'
import { tooManyBytes, type Work } from './work.ts'

/** Points of an answer that is written in pieces, because it may contain a text that was read once many times. */
const MANY_POINTS = 500
/** Values of a part that is written at once, and characters of its texts. */
const PART = { values: 500, characters: 64 << 10 }

/** A result, and how it is written. */
interface Written extends ExecutionResult {
  stringify?: (result: ExecutionResult) => string
}

/**
 * Writes a large result in pieces, between which other requests get a turn.
 * @returns a result that Yoga writes at once, whose body `withBody` replaces; an error `limit_reached` when it exceeds the
 *   limit of bytes, because an operation can select the same text many times, `timeout` when its turn comes too late
 */
export async function writeAnswer(
  result: ExecutionResult,
  { work, points, ctx }: Pick<RequestContext, 'work' | 'points' | 'ctx'>,
  format: FormatErrors,
): Promise<Written> {
  if (!result.data || !(work.isLarge() || points.requested > MANY_POINTS)) return result
  const failed = (error: Error) =>
    format({ errors: [new GraphQLError(error.message, { originalError: error })] }, ctx.requestId)
  try {
    await work.awaitLargeTurn(points.requested)
  } catch (error) {
    return failed(error as Error)
  }
  const data = await writePieces(result.data, work.addAnswer)
  if (data === null) return failed(tooManyBytes())
  // Errors first, as `createFormatErrors` orders them.
  const stringify = ({ errors, extensions }: ExecutionResult) => {
    const [start, end] = [`{${member('errors', errors)}"data":`, `,${member('extensions', extensions)}`]
    work.body = Buffer.concat([Buffer.from(start), ...data, Buffer.from(end.replace(/,$/, '}'))])
    return ''
  }
  return { ...result, stringify }
}

/** Returns the answer with the body that was written in pieces. */
export const withBody = (response: Response, { body }: Work): Response =>
  body ? new Response(body, { status: response.status, headers: response.headers }) : response

const member = (name: string, value: unknown) => (value === undefined ? '' : `"${name}":${JSON.stringify(value)},`)

/** Writes the answers of Yoga. Must come after the plugin that formats errors. */
export const answerPlugin = (format: FormatErrors): Plugin<RequestContext, RequestContext> => ({
  async onResultProcess({ result, setResult, serverContext }) {
    if (Symbol.asyncIterator in result) return
    // The operations of a batch share one body.
    if (!Array.isArray(result)) setResult(await writeAnswer(result as ExecutionResult, serverContext, format))
  },
})

/** @returns the JSON of a value; null if it exceeds the limit of the request */
async function writePieces(data: unknown, addBytes: (bytes: number) => boolean): Promise<Buffer[] | null> {
  const pieces: Buffer[] = []
  let text = ''
  const end = () => {
    pieces.push(Buffer.from(text))
    text = ''
    return addBytes(pieces.at(-1)?.length ?? 0)
  }
  for (const piece of partsOf(data)) {
    text += piece
    if (text.length > PART.characters && !end()) return null
    if (isTurnOver()) await nextTurn()
  }
  const isWithin = end()
  // Alone in its turn: the client's library copies the whole body.
  await nextTurn()
  return isWithin ? pieces : null
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
