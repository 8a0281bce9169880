/** Encodes text as UTF-8, cut off between characters. */
export function clippedUtf8(text: string, maxBytes: number): Buffer {
  const bytes = new Uint8Array(maxBytes)
  return Buffer.from(bytes.subarray(0, new TextEncoder().encodeInto(text, bytes).written))
}
