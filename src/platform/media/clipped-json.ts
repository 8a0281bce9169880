const [QUOTE, BACKSLASH, LETTER_U] = [0x22, 0x5c, 0x75]
/** Bytes after a backslash: one character, or `u` and four digits. */
const [ESCAPE_BYTES, CODE_POINT_BYTES] = [1, 4]

/**
 * Reads JSON whose strings may be longer than memory, and truncates each string.
 * @param maxStringBytes length at which a string is truncated
 * @param maxBytes of the truncated text
 * @returns null for a longer text; the rest of the stream is not read
 */
export async function readClippedJson(
  stream: ReadableStream<Uint8Array>,
  { maxStringBytes, maxBytes }: { maxStringBytes: number; maxBytes: number },
): Promise<string | null> {
  const isKept = stringClipper(maxStringBytes)
  const parts: Uint8Array[] = []
  let total = 0
  for await (const chunk of stream) {
    const part = chunk.filter(isKept)
    parts.push(part)
    total += part.length
    if (total > maxBytes) return null
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

/**
 * Returns a predicate for the bytes of a JSON text, in order: whether the byte is kept. An escape sequence is never
 * split.
 */
function stringClipper(maxBytes: number): (byte: number) => boolean {
  let isInString = false
  let isKept = true
  let escaped = 0
  let length = 0
  return (byte) => {
    if (isInString) length += 1
    if (escaped > 0) {
      escaped = byte === LETTER_U && escaped === ESCAPE_BYTES ? CODE_POINT_BYTES : escaped - 1
    } else if (isInString) {
      isKept = length <= maxBytes || byte === QUOTE
      if (byte === BACKSLASH) escaped = ESCAPE_BYTES
      isInString = byte !== QUOTE
    } else {
      isKept = true
      isInString = byte === QUOTE
      length = 0
    }
    return isKept
  }
}
