import { describe, expect, test } from 'bun:test'
import { readClippedJson } from '../../../src/platform/media/clipped-json.ts'

const bounds = { maxStringBytes: 10, maxBytes: 1000 }

/** A text that arrives in chunks of this size, in bytes. */
function streamOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
}

const values: { name: string; input: unknown; read: unknown }[] = [
  { name: 'short strings', input: { a: 'b', c: [1, null] }, read: { a: 'b', c: [1, null] } },
  { name: 'a string of the limit', input: ['0123456789'], read: ['0123456789'] },
  { name: 'a string of one more', input: ['0123456789a', 'b'], read: ['0123456789', 'b'] },
  { name: 'a long key', input: { '0123456789abc': 1 }, read: { '0123456789': 1 } },
  { name: 'escapes up to the limit', input: ['"\\"\\"'], read: ['"\\"\\"'] },
  { name: 'an escape across the limit', input: ['012345678"ab"', 'c'], read: ['012345678"', 'c'] },
  { name: 'a code point across the limit', input: ['01234567\u0001\u0002"x', 'c'], read: ['01234567\u0001', 'c'] },
  { name: 'escapes beyond the limit', input: ['0123456789\\"\\\\"\n"u"', 'c'], read: ['0123456789', 'c'] },
]

describe.each([1, 3, 1000])('JSON in pieces of %d bytes', (size) => {
  test.each(values)('keeps or truncates $name', async ({ input, read }) => {
    const text = await readClippedJson(streamOf(JSON.stringify(input), size), bounds)
    expect(JSON.parse(text ?? '')).toEqual(read)
  })

  test('is null when more than the limit is left', async () => {
    const text = JSON.stringify(Array(200).fill('012345'))
    expect(await readClippedJson(streamOf(text, size), bounds)).toBeNull()
  })
})
