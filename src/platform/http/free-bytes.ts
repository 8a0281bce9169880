/**
 * Frees the bytes of a received chunk, which must not be used afterwards. They are outside the heap, but only the heap
 * size triggers a collection. A chunk that shares its buffer is left to the garbage collector.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
