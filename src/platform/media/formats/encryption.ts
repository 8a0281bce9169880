const HEAD_BYTES = 1 << 16
/** Larger indexes are truncated; that of twelve hours has a few million bytes. */
const MAX_INDEX_BYTES = 64 << 20

/** ASF header objects that declare encrypted packets (ASF specification, 3.14 and 3.15). */
const asfObjects = ['fbb31122 23bdd211 b4b700a0 c955fc6e', '14e68a29 2226174c b935dae0 7ee9289c'].map((guid) =>
  Buffer.from(guid.replaceAll(' ', ''), 'hex'),
)
const ASF_MAGIC = Buffer.from('3026b2758e66cf11', 'hex')
const AUDIBLE_MAGIC = Buffer.from('57907536', 'hex')
/** Sample entries of encrypted sound: common encryption and FairPlay. */
const protectedEntries = ['enca', 'drms']

/**
 * Returns whether the sound of a file is encrypted, for containers whose decoders would output noise. Matroska declares
 * it in a tag of the stream.
 * @param file local path
 */
export async function isProtected(file: string): Promise<boolean> {
  const head = Buffer.from(await Bun.file(file).slice(0, HEAD_BYTES).arrayBuffer())
  if (head.subarray(0, 8).equals(ASF_MAGIC)) return asfObjects.some((guid) => head.includes(guid))
  if (head.subarray(4, 8).equals(AUDIBLE_MAGIC)) return true
  if (head.toString('latin1', 4, 8) !== 'ftyp') return false
  if (/^aax/.test(head.toString('latin1', 8, 12))) return true
  return hasProtectedEntry(await movieIndex(file))
}

/** Returns the `moov` box of an ISO file (ISO/IEC 14496-12, 4.2). Empty without one. */
async function movieIndex(file: string): Promise<Buffer> {
  const bytes = Bun.file(file)
  const MAX_BOXES = 1000
  for (let at = 0, boxes = 0; at + 8 <= bytes.size && boxes < MAX_BOXES; boxes++) {
    const header = Buffer.from(await bytes.slice(at, at + 16).arrayBuffer())
    const short = header.readUInt32BE(0)
    const size = short === 1 && header.length === 16 ? Number(header.readBigUInt64BE(8)) : short || bytes.size - at
    if (header.toString('latin1', 4, 8) === 'moov') {
      return Buffer.from(await bytes.slice(at, at + Math.min(size, MAX_INDEX_BYTES)).arrayBuffer())
    }
    if (size < 8) break
    at += size
  }
  return Buffer.alloc(0)
}

/** Checks the first entry of every sample description: its type follows version, count and size. */
function hasProtectedEntry(index: Buffer): boolean {
  for (let at = index.indexOf('stsd'); at >= 0; at = index.indexOf('stsd', at + 4)) {
    if (protectedEntries.includes(index.toString('latin1', at + 16, at + 20))) return true
  }
  return false
}
