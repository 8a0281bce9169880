import { readAt } from '../../formats/rewrite.ts'
import type { Budget, Patch, TagSource } from './patch.ts'

/** Boxes at the start of an ISO file that are searched for its index, and bytes of the index that are. */
const MAX_BOXES = 1000
const MAX_INDEX_BYTES = 64 << 20

/** Finds the tags of an ISO file beyond the budget (ISO/IEC 14496-12). The first of them becomes free space to the end. */
export async function excessBoxes({ handle, size: fileSize }: TagSource, budget: Budget): Promise<Patch[]> {
  for (let at = 0, boxes = 0; at + 8 <= fileSize && boxes < MAX_BOXES; boxes++) {
    const head = await readAt(handle, at, 16)
    if (head.length < 8) break
    const short = head.readUInt32BE(0)
    const isLong = short === 1 && head.length === 16
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short || fileSize - at
    if (size < 8) break
    if (head.toString('latin1', 4, 8) === 'moov') {
      const index = await readAt(handle, at, Math.min(size, MAX_INDEX_BYTES))
      const patches: Patch[] = []
      search(index, { from: isLong ? 16 : 8, to: index.length }, patches, budget, { at, depth: 0 })
      return patches
    }
    at += size
  }
  return []
}

const containers = ['trak', 'udta', 'meta', 'ilst']
/** Boxes whose children are tags. */
const lists = ['udta', 'ilst']
const MAX_DEPTH = 8

interface Span {
  from: number
  to: number
}

function search(
  index: Buffer,
  { from, to }: Span,
  patches: Patch[],
  budget: Budget,
  place: { at: number; depth: number; type?: string },
): void {
  const isList = lists.includes(place.type ?? '')
  for (let box = from; box + 8 <= to; ) {
    const size = index.readUInt32BE(box)
    if (isList && budget.entries <= 0) {
      const bytes = Buffer.from('\0\0\0\0free', 'latin1')
      bytes.writeUInt32BE(to - box)
      patches.push({ position: place.at + box, bytes })
      return
    }
    if (size < 8 || box + size > to) return
    if (isList) budget.entries -= 1
    const type = index.toString('latin1', box + 4, box + 8)
    if (containers.includes(type) && place.depth < MAX_DEPTH) {
      const inner = { from: box + 8 + (type === 'meta' ? versionBytes(index, box + 8) : 0), to: box + size }
      search(index, inner, patches, budget, { at: place.at, depth: place.depth + 1, type })
    }
    box += size
  }
}

/** QuickTime's `meta` has no version: its first child follows at once. */
const versionBytes = (index: Buffer, at: number) => (index.toString('latin1', at + 4, at + 8) === 'hdlr' ? 0 : 4)
