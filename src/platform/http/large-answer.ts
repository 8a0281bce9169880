import { AppError } from '../errors.ts'
import { isTurnOver, nextTurn } from '../pieces.ts'

/** Values of a part that is written at once, and characters of its texts. */
const PART = { values: 500, characters: 64 << 10 }
/** Bytes beyond which an answer is sent at the pace of its reader. */
const LARGE_BYTES = 1 << 20
/** Large answers that are being sent, of an organization and of a process. They stay in memory until they have been read. */
export const MAX_UNREAD = { organization: 8, all: 64 }
/** Time after which the answer to a client that reads nothing ends, in milliseconds. */
const STALL_MS = 60_000

/**
 * Writes JSON in pieces, between which other requests get a turn.
 * @param isWithin called with the number of bytes of each piece; false ends the writing
 * @returns null when it was ended
 */
export async function writeJson(value: unknown, isWithin: (bytes: number) => boolean): Promise<Uint8Array[] | null> {
  const pieces: Uint8Array[] = []
  let text = ''
  const endPiece = () => {
    const piece = Buffer.from(text)
    text = ''
    if (piece.length > 0) pieces.push(piece)
    return isWithin(piece.length)
  }
  for (const part of writeParts(value)) {
    text += part
    if (text.length > PART.characters && !endPiece()) return null
    if (isTurnOver()) await nextTurn()
  }
  return endPiece() ? pieces : null
}

/** The JSON of a value in parts that are each written quickly. */
function* writeParts(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || value instanceof Date || isSmall(value)) {
    yield JSON.stringify(value) ?? 'null'
  } else if (Array.isArray(value)) {
    yield '['
    for (const [at, item] of value.entries()) {
      if (at > 0) yield ','
      yield* writeParts(item)
    }
    yield ']'
  } else {
    let separator = '{'
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue
      yield `${separator}${JSON.stringify(name)}:`
      yield* writeParts(item)
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

export type LargeAnswers = ReturnType<typeof createLargeAnswers>

/**
 * Bounds the memory of answers that clients do not read: a large one is sent at the pace of its reader, an organization has
 * few of them, and ends when its client reads nothing. A process has one.
 */
export function createLargeAnswers({ stallMs = STALL_MS } = {}) {
  const unread = new Map<string, number>()
  let unreadOfAll = 0

  function begin(organization: string): () => void {
    const count = unread.get(organization) ?? 0
    if (count >= MAX_UNREAD.organization || unreadOfAll >= MAX_UNREAD.all) throw tooMany()
    unread.set(organization, count + 1)
    unreadOfAll += 1
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      const rest = (unread.get(organization) ?? 0) - 1
      if (rest > 0) unread.set(organization, rest)
      else unread.delete(organization)
      unreadOfAll -= 1
    }
  }

  function stream(pieces: Uint8Array[], end: () => void): ReadableStream<Uint8Array> {
    let timer: Timer | undefined
    const waitForReader = (controller: ReadableStreamDefaultController) => {
      timer = setTimeout(() => {
        // The JSON is incomplete, so that no client takes it for the answer. Bun writes an error of a stream to standard error.
        controller.close()
        end()
      }, stallMs).unref()
    }
    return new ReadableStream<Uint8Array>(
      {
        start: waitForReader,
        pull: (controller) => {
          clearTimeout(timer)
          controller.enqueue(pieces.shift() as Uint8Array)
          if (pieces.length > 0) return waitForReader(controller)
          controller.close()
          end()
        },
        cancel: () => {
          clearTimeout(timer)
          end()
        },
      },
      { highWaterMark: 0 },
    )
  }

  return {
    /** Number of large answers that have not been read. */
    get unread() {
      return unreadOfAll
    },

    /**
     * Creates the body of an answer.
     * @param pieces not empty
     * @param organization whom it counts against
     * @throws AppError `unavailable` when too many large answers of the organization have not been read
     */
    body(pieces: Uint8Array[], organization: string): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
      const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
      return bytes <= LARGE_BYTES ? Buffer.concat(pieces) : stream(pieces, begin(organization))
    },
  }
}

const tooMany = () =>
  new AppError(
    'unavailable',
    `The organization has ${MAX_UNREAD.organization} large answers that its clients have not read. Read them, then try again.`,
    { retryAfterSeconds: 1 },
  )
