import { describe, expect, test } from 'bun:test'
import { freeBytes } from '../../../src/platform/http/free-bytes.ts'
import { rawBody } from '../../../src/roles/edge/receive.ts'

describe('freeBytes', () => {
  test('frees a chunk that has its buffer to itself', () => {
    const chunk = new Uint8Array(1000)
    freeBytes(chunk)
    expect([chunk.byteLength, chunk.buffer.byteLength]).toEqual([0, 0])
  })

  test.each([
    ['the start', 0, 999],
    ['the end', 1, 1000],
  ])('leaves a chunk that is %s of its buffer', (_, start, end) => {
    const buffer = new Uint8Array(1000).fill(7)
    freeBytes(buffer.subarray(start, end))
    expect(buffer).toEqual(new Uint8Array(1000).fill(7))
  })

  test('leaves shared memory', () => {
    const chunk = new Uint8Array(new SharedArrayBuffer(8))
    freeBytes(chunk)
    expect(chunk.byteLength).toBe(8)
  })
})

test('a chunk of a raw body is freed when the next one is requested', async () => {
  const sent = ['first', 'second'].map((text) => new TextEncoder().encode(text).slice())
  const body = new ReadableStream({
    start: (controller) => {
      for (const chunk of sent) controller.enqueue(chunk)
      controller.close()
    },
  })
  const { chunks } = rawBody(new Request('http://edge.test', { method: 'PUT', body }))
  const lengths: number[][] = []
  const received: Uint8Array[] = []
  for await (const chunk of chunks) {
    received.push(chunk)
    lengths.push(received.map(({ byteLength }) => byteLength))
  }
  expect(lengths).toEqual([[5], [0, 6]])
})
