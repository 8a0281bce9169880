import type { FileHandle } from 'node:fs/promises'
import { notMade } from '../ffmpeg/output.ts'
import { readAt } from './rewrite.ts'

/**
 * Finds the index of an MP4 file. The size includes its header.
 * @throws MediaError `encoder_failed` for a file without an index
 */
export async function findIndex(source: FileHandle): Promise<{ at: number; size: number }> {
  for (let at = 0; ; ) {
    const head = await readAt(source, at, 16)
    if (head.length < 8) throw notMade('the MP4 file has no index')
    const short = head.readUInt32BE(0)
    // 1: the type is followed by a 64-bit size.
    const size = short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short
    if (size < 8) throw notMade('the MP4 file has a box without a size')
    if (head.toString('latin1', 4, 8) === 'moov') return { at, size }
    at += size
  }
}

export interface ChildBox {
  type: string
  from: number
  to: number
}

/**
 * Returns the boxes inside a box.
 * @throws MediaError `encoder_failed` when one exceeds its parent
 */
export function listBoxes(parent: Buffer, start = 0, end = parent.length): ChildBox[] {
  const children: ChildBox[] = []
  for (let from = start; from + 8 <= end; ) {
    const to = from + parent.readUInt32BE(from)
    if (to < from + 8 || to > end) throw notMade('a box of the MP4 file is longer than its parent')
    children.push({ type: parent.toString('latin1', from + 4, from + 8), from, to })
    from = to
  }
  return children
}

/** Creates a box with version 0 and no flags. */
export const fullBox = (type: string, body: Buffer) => box(type, Buffer.concat([Buffer.alloc(4), body]))

export function box(type: string, body: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(8 + body.length)
  return Buffer.concat([size, Buffer.from(type, 'latin1'), body])
}

/** Returns 32-bit numbers, most significant byte first. */
export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}

/**
 * Returns the content of a box inside others.
 * @param path types of the boxes, the outermost first
 * @throws MediaError `encoder_failed` when one is missing
 */
export function boxAt(parent: Buffer, ...path: string[]): Buffer {
  let place = parent
  for (const type of path) {
    const child = listBoxes(place).find((entry) => entry.type === type)
    if (!child) throw notMade(`the MP4 file lacks ${path.join('/')}`)
    place = place.subarray(child.from + 8, child.to)
  }
  return place
}
