import { readAt } from '../../formats/rewrite.ts'
import type { Budget, Patch, TagSource } from './patch.ts'

/** Elements of the top level that are looked at. Long recordings have thousands of clusters. */
const MAX_ELEMENTS = 10_000
/** Larger than the tags of any recording. */
const MAX_TAGS_BYTES = 16 << 20
const [SEGMENT, TAGS] = [0x18538067, 0x1254c367]
const [TAG, SIMPLE_TAG] = [0x7373, 0x67c8]
const VOID_HEADER_BYTES = 9

interface Element {
  id: number
  /** Offset of its content. */
  body: number
  /** Offset after it. Null when it does not state its size. */
  end: number | null
}

/** Finds the tags of a Matroska file when there are more than the budget (RFC 9559). All of them become void. */
export async function excessElements({ handle, size }: TagSource, budget: Budget): Promise<Patch[]> {
  const elementAt = async (at: number) => elementIn(await readAt(handle, at, 12), 0, at)
  const header = await elementAt(0)
  const segment = header?.end ? await elementAt(header.end) : null
  if (segment?.id !== SEGMENT) return []
  const tagElements: { at: number; end: number }[] = []
  for (let at = segment.body, count = 0; at < size && count < MAX_ELEMENTS; count++) {
    const element = await elementAt(at)
    if (!element || element.end === null) break
    if (element.id === TAGS) {
      tagElements.push({ at, end: element.end })
      const length = element.end - element.body
      const isLarge = length > MAX_TAGS_BYTES
      budget.entries -= isLarge ? budget.entries + 1 : countTags(await readAt(handle, element.body, length))
    }
    at = element.end
  }
  if (budget.entries >= 0) return []
  return tagElements.flatMap(({ at, end }) => (end - at < VOID_HEADER_BYTES ? [] : [voidElement(at, end - at)]))
}

function voidElement(position: number, length: number): Patch {
  const bytes = Buffer.alloc(VOID_HEADER_BYTES)
  bytes.writeUInt8(0xec)
  bytes.writeBigUInt64BE((1n << 56n) | BigInt(length - VOID_HEADER_BYTES), 1)
  return { position, bytes }
}

function countTags(content: Buffer, depth = 0): number {
  let count = 0
  for (let at = 0; at < content.length; ) {
    const element = elementIn(content, at, at)
    if (!element || element.end === null) break
    const isTag = element.id === SIMPLE_TAG
    if (isTag) count += 1
    if ((isTag || element.id === TAG) && depth < 8)
      count += countTags(content.subarray(element.body, element.end), depth + 1)
    at = element.end
  }
  return count
}

/**
 * Parses the head of an element (RFC 8794, sections 4 and 5).
 * @param position of the element, that offsets are relative to the start of
 */
function elementIn(bytes: Buffer, at: number, position: number): Element | null {
  const idBytes = countNumberBytes(bytes[at])
  const sizeBytes = countNumberBytes(bytes[at + idBytes])
  if (idBytes > 4 || sizeBytes > 8 || at + idBytes + sizeBytes > bytes.length) return null
  const field = bytes.subarray(at + idBytes, at + idBytes + sizeBytes)
  const mask = 2 ** (8 - sizeBytes) - 1
  const isUnknown = ((field[0] ?? 0) & mask) === mask && field.subarray(1).every((byte) => byte === 0xff)
  const size = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] ?? 0) & mask)
  const body = position + idBytes + sizeBytes
  return { id: bytes.readUIntBE(at, idBytes), body, end: isUnknown ? null : body + size }
}

/** Bytes of a number with variable length, by its first byte. 9 for an invalid one. */
const countNumberBytes = (first = 0) => Math.clz32(first) - 23
