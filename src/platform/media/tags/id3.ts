import { bytesFrom, readAt, rewrite } from '../formats/rewrite.ts'
import { type Field, placeOf } from './fields.ts'
import { FRONT_COVER, type Picture } from './picture.ts'

const HEADER_BYTES = 10
const UTF8 = 3
/** Comments and lyrics must declare a language, which sources seldom do; some players show only English ones. */
const LANGUAGE = 'eng'

/**
 * Replaces the tag of an MP3 file with an ID3v2.4 tag. The audio frames are unchanged, including the one with the
 * encoder's delay and padding.
 */
export function writeId3(file: string, fields: readonly Field[], picture: Picture | null): Promise<void> {
  const frames = Buffer.concat([...fieldFrames(fields), ...(picture ? [pictureFrame(picture)] : [])])
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), syncSafe(frames.length), frames])
  return rewrite(file, async function* (source) {
    const head = await readAt(source, 0, HEADER_BYTES)
    yield tag
    yield* bytesFrom(source, tagBytes(head))
  })
}

/** Length of the tag at the start of a file, in bytes. */
function tagBytes(head: Buffer): number {
  if (head.length < HEADER_BYTES || head.toString('latin1', 0, 3) !== 'ID3') return 0
  return HEADER_BYTES + head.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 127), 0)
}

function fieldFrames(fields: readonly Field[]): Buffer[] {
  const used = new Set<string>()
  return fields.flatMap((field) => {
    const place = placeOf(field.name, 'id3') ?? `TXXX:${field.name}`
    // Two fields may map to a frame that may occur only once.
    const id = used.has(place) ? `TXXX:${field.name}` : place
    used.add(id)
    return framesOf(id, field)
  })
}

function framesOf(id: string, { name, value }: Field): Buffer[] {
  if (id === 'COMM' || id === 'USLT') return [frame(id, encoded(`${LANGUAGE}\0${value}`))]
  if (!id.startsWith('TXXX:')) return [frame(id, encoded(value))]
  const text = frame('TXXX', encoded(`${id.slice(5)}\0${value}`))
  // MusicBrainz's programs read the recording's ID from UFID, others from TXXX.
  const owner = `http://musicbrainz.org\0${value}`
  return name === 'musicbrainz_trackid' ? [frame('UFID', Buffer.from(owner)), text] : [text]
}

const pictureFrame = ({ bytes, type }: Picture) =>
  frame('APIC', Buffer.concat([encoded(`${type}\0`), Buffer.from([FRONT_COVER, 0]), bytes]))

const encoded = (text: string) => Buffer.concat([Buffer.from([UTF8]), Buffer.from(text)])

const frame = (id: string, body: Buffer) =>
  Buffer.concat([Buffer.from(id), syncSafe(body.length), Buffer.alloc(2), body])

/** Seven bits per byte, so that no length looks like the start of an audio frame (ID3v2.4 structure, 6.2). */
const syncSafe = (size: number) => Buffer.from([21, 14, 7, 0].map((shift) => (size >>> shift) & 127))
