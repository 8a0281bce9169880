import { readAt } from '../../formats/rewrite.ts'
import type { Budget, Patch, TagSource } from './patch.ts'

const HEADER_BYTES = 10
const EXTENDED = 0x40
const syncSafe = (bytes: Buffer) => bytes.reduce((size, byte) => size * 128 + (byte & 127), 0)
const asSyncSafe = (size: number) => Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 127))

/**
 * Finds the frames of ID3v2 beyond the budget (ID3v2.2, 2.3 and 2.4). The first of them becomes a frame of an unknown
 * type that contains the others. Several tags may follow each other.
 * @returns `end`: offset after the tags
 */
export async function excessFrames({ handle }: TagSource, at: number, budget: Budget) {
  const patches: Patch[] = []
  let end = at
  for (;;) {
    const head = await readAt(handle, end, HEADER_BYTES)
    if (head.length < HEADER_BYTES || head.toString('latin1', 0, 3) !== 'ID3') return { patches, end }
    const start = end + HEADER_BYTES
    end = start + syncSafe(head.subarray(6))
    const patch = await excessIn(handle, head, { start, end }, budget)
    if (patch) patches.push(patch)
  }
}

/** @param head of the tag, whose content is from `start` to `end` */
async function excessIn(
  handle: TagSource['handle'],
  head: Buffer,
  { start, end }: { start: number; end: number },
  budget: Budget,
): Promise<Patch | null> {
  const [version = 0, flags = 0] = [head[3], head[5]]
  const [idBytes, frameBytes] = version < 3 ? [3, 6] : [4, 10]
  let frame = start + (version >= 3 && flags & EXTENDED ? await extendedBytes(handle, start, version) : 0)
  for (; frame + frameBytes < end; budget.entries -= 1) {
    const bytes = await readAt(handle, frame, frameBytes)
    // Padding.
    if (bytes.length < frameBytes || bytes[0] === 0) return null
    if (budget.entries <= 0) {
      return { position: frame, bytes: unknownFrame(bytes, version, end - frame - frameBytes) }
    }
    const size = version === 4 ? syncSafe(bytes.subarray(4, 8)) : bytes.readUIntBE(idBytes, version < 3 ? 3 : 4)
    frame += frameBytes + size
  }
  return null
}

async function extendedBytes(handle: TagSource['handle'], at: number, version: number): Promise<number> {
  const bytes = await readAt(handle, at, 4)
  if (bytes.length < 4) return 0
  return version === 4 ? syncSafe(bytes) : 4 + bytes.readUInt32BE(0)
}

function unknownFrame(old: Buffer, version: number, size: number): Buffer {
  const bytes = Buffer.alloc(old.length)
  bytes.write('X'.repeat(version < 3 ? 3 : 4))
  if (version < 3) bytes.writeUIntBE(Math.min(size, 0xffffff), 3, 3)
  else if (version === 4) asSyncSafe(size).copy(bytes, 4)
  else bytes.writeUInt32BE(size, 4)
  return bytes
}
