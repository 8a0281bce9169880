const HEADER_BYTES = 7

/**
 * Cuts an ADTS stream into its frames incrementally.
 * @see ISO 14496-3, 1.A.2.2
 */
export function adtsReader() {
  let rest: Uint8Array = new Uint8Array(0)
  return {
    /** Adds a chunk. @returns the frames that it completes, with their headers */
    take(chunk: Uint8Array): Uint8Array[] {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const frames: Uint8Array[] = []
      let at = 0
      for (let end = endOfFrame(bytes, at); end <= bytes.length; end = endOfFrame(bytes, at)) {
        frames.push(bytes.subarray(at, end))
        at = end
      }
      rest = bytes.slice(at)
      return frames
    },
  }
}

/** Returns infinity while the header is incomplete. @throws Error when no header is at this place */
function endOfFrame(bytes: Uint8Array, at: number): number {
  if (at + HEADER_BYTES > bytes.length) return Number.POSITIVE_INFINITY
  const byte = (i: number) => bytes[at + i] ?? 0
  const length = ((byte(3) & 0x3) << 11) | (byte(4) << 3) | (byte(5) >> 5)
  if (byte(0) !== 0xff || (byte(1) & 0xf6) !== 0xf0 || length < HEADER_BYTES) throw new Error('not an ADTS stream')
  return at + length
}
