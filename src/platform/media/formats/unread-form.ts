const HEAD_BYTES = 4096

/** Containers of sound that are not read: their demuxers open others inside of them, or are rarely tested. */
const magics: readonly { name: string; matches: (head: Buffer) => boolean }[] = [
  { name: 'AVI', matches: (head) => isAt(head, 0, 'RIFF') && isAt(head, 8, 'AVI ') },
  { name: 'FLV', matches: (head) => isAt(head, 0, 'FLV\x01') },
  { name: 'an MPEG program stream', matches: (head) => isAt(head, 0, '\x00\x00\x01\xba') },
  { name: 'DSDIFF', matches: (head) => isAt(head, 0, 'FRM8') && isAt(head, 12, 'DSD ') },
  { name: 'OptimFROG', matches: (head) => isAt(head, 0, 'OFR ') },
  { name: 'NIST SPHERE', matches: (head) => isAt(head, 0, 'NIST_1A') },
  { name: 'RealMedia', matches: (head) => isAt(head, 0, '.RMF') },
  { name: 'MIDI', matches: (head) => isAt(head, 0, 'MThd') },
  { name: 'GSM', matches: isGsm },
]

const isAt = (head: Buffer, at: number, magic: string) => head.toString('latin1', at, at + magic.length) === magic

/** Frames of 33 bytes, each with the same first four bits (ETSI EN 300 961, 1.7). */
function isGsm(head: Buffer): boolean {
  const [FRAME_BYTES, MIN_FRAMES, SIGNATURE] = [33, 10, 0xd]
  const frames = Math.floor(head.length / FRAME_BYTES)
  return (
    frames >= MIN_FRAMES &&
    Array.from({ length: frames }, (_, at) => head.readUInt8(at * FRAME_BYTES) >> 4).every((bits) => bits === SIGNATURE)
  )
}

/**
 * Names the container of a file of sound that is not read. Null for any other file.
 * @param file local path
 */
export async function nameUnreadForm(file: string): Promise<string | null> {
  const head = Buffer.from(await Bun.file(file).slice(0, HEAD_BYTES).arrayBuffer())
  return magics.find(({ matches }) => matches(head))?.name ?? null
}
