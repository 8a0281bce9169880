/** Bytes from `start` to before `end`. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a Range header for a representation of `size` bytes.
 * @returns one range; `unsatisfiable`; or null to send the whole: no header, another unit, a malformed one, or several
 * ranges
 * @see RFC 9110, section 14.1.2
 */
export function parseRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '')
  if (!match) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
