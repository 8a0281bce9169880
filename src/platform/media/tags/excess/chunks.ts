import { readAt } from '../../formats/rewrite.ts'
import { excessFrames } from './frames.ts'
import type { Budget, Patch, TagSource } from './patch.ts'

/** More chunks than any recording has. */
const MAX_CHUNKS = 1000

/** Finds the entries of LIST chunks of a WAV file beyond the budget, and the frames of its ID3 chunks. */
export async function excessChunks(source: TagSource, at: number, budget: Budget): Promise<Patch[]> {
  const patches: Patch[] = []
  for (let chunk = at + 12, chunks = 0; chunks < MAX_CHUNKS; chunks++) {
    const head = await readAt(source.handle, chunk, 12)
    if (head.length < 12) break
    const [id, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    const end = Math.min(source.size, chunk + 8 + size)
    if (id === 'LIST') patches.push(...(await excessEntries(source, chunk + 12, end, budget)))
    if (id.toLowerCase() === 'id3 ') patches.push(...(await excessFrames(source, chunk + 8, budget)).patches)
    chunk += 8 + size + (size % 2)
  }
  return patches
}

async function excessEntries({ handle }: TagSource, from: number, end: number, budget: Budget): Promise<Patch[]> {
  for (let entry = from; entry + 8 < end; budget.entries -= 1) {
    const head = await readAt(handle, entry, 8)
    if (head.length < 8) return []
    if (budget.entries <= 0) {
      const bytes = Buffer.from('JUNK\0\0\0\0', 'latin1')
      bytes.writeUInt32LE(end - entry - 8, 4)
      return [{ position: entry, bytes }]
    }
    const size = head.readUInt32LE(4)
    entry += 8 + size + (size % 2)
  }
  return []
}
