import { readAt } from '../../formats/rewrite.ts'
import { isFirstPart, pageBytes, readSegments, readSerial, sealPage } from '../ogg-page.ts'
import type { Budget, Patch, TagSource } from './patch.ts'

/** Takes entries from the budget. @returns how many of them exceed it */
function spend(budget: Budget, count: number): number {
  const allowed = Math.max(0, Math.min(count, budget.entries))
  budget.entries -= count
  return count - allowed
}

const COMMENTS = 4
/** Blocks of FLAC before the sound; the format has no limit. */
const MAX_BLOCKS = 1000

/** Finds the comments of a FLAC file beyond the budget: its blocks announce fewer (RFC 9639, section 8.6). */
export async function excessComments({ handle }: TagSource, at: number, budget: Budget): Promise<Patch[]> {
  const patches: Patch[] = []
  let block = at + 4
  for (let blocks = 0; blocks < MAX_BLOCKS; blocks++) {
    const head = await readAt(handle, block, 8)
    if (head.length < 8) break
    const [type = 0, size] = [head[0], head.readUIntBE(1, 3)]
    if ((type & 0x7f) === COMMENTS) {
      const position = block + 8 + head.readUInt32LE(4)
      const count = await readAt(handle, position, 4)
      if (count.length === 4) patches.push(...fewer(count, 0, budget).map((bytes) => ({ position, bytes })))
    }
    if (type & 0x80) break
    block += 4 + size
  }
  return patches
}

/** The field with a count that does not exceed the budget. Empty when it does not. */
function fewer(bytes: Buffer, at: number, budget: Budget): Buffer[] {
  const count = bytes.readUInt32LE(at)
  const excess = spend(budget, count)
  if (excess === 0) return []
  const field = Buffer.alloc(4)
  field.writeUInt32LE(count - excess)
  return [field]
}

/** Header pages are at the start, also those of several streams. */
const MAX_HEAD_BYTES = 1 << 20

/** Bytes before the comments in a packet that begins like this, or after a first packet that begins like that. */
const ownMarks: [mark: string, bytes: number][] = [
  ['\x03vorbis', 7],
  ['OpusTags', 8],
]
const firstMarks: [mark: string, bytes: number][] = [
  ['\x7fFLAC', 4],
  ['Speex   ', 0],
]

/** Finds the comments of an Ogg file beyond the budget: its packets announce fewer (RFC 7845, section 5.2). */
export async function excessOggComments({ handle }: TagSource, at: number, budget: Budget): Promise<Patch[]> {
  const head = await readAt(handle, at, MAX_HEAD_BYTES)
  const firsts = new Map<number, number>()
  const patches: Patch[] = []
  for (let from = 0; head.toString('latin1', from, from + 4) === 'OggS'; ) {
    const length = pageBytes(head, from)
    if (length === null) break
    const body = Buffer.concat(readSegments(head, from).map((segment) => segment.body))
    const bodyAt = from + length - body.length
    const serial = readSerial(head, from)
    const findMark = (marks: typeof ownMarks) =>
      marks.find(([mark]) => body.toString('latin1', 0, mark.length) === mark)?.[1]
    const before = findMark(ownMarks) ?? firsts.get(serial)
    const first = findMark(firstMarks)
    if (first !== undefined) firsts.set(serial, first)
    else if (before !== undefined && isFirstPart(head, from)) {
      firsts.delete(serial)
      const position = before + 4 + (body.length >= before + 4 ? body.readUInt32LE(before) : 0)
      const [field] = position + 4 <= body.length ? fewer(body, position, budget) : []
      if (field) {
        field.copy(head, bodyAt + position)
        sealPage(head, from, length)
        patches.push({ position: at + from, bytes: head.subarray(from, from + length) })
      }
    }
    from += length
  }
  return patches
}
