import { open } from 'node:fs/promises'
import { boxAt, findIndex } from './mp4-box.ts'
import { readAt } from './rewrite.ts'

/**
 * Sets the length of an MP4 file to the sample. ffmpeg writes the edit list, which makes players skip the encoder's
 * delay and padding, in milliseconds and loses up to one of them. Changes bytes in place. A file with other edits is
 * left unchanged.
 * @param file local path of a file with one audio stream, as our encoder writes it
 * @param samples length of the sound, for a file whose last frame is announced as complete
 * @throws MediaError `encoder_failed` for a file that is not MP4
 */
export async function setExactLength(file: string, samples?: number): Promise<void> {
  const target = await open(file, 'r+')
  try {
    const { at, size } = await findIndex(target)
    const index = await readAt(target, at + 8, size - 8)
    if (countInSamples(index, samples)) await target.write(index, 0, index.length, at + 8)
  } finally {
    await target.close()
  }
}

/** Offsets of fields of version 0 after the header of their box (ISO 14496-12, 8.2.2, 8.3.2, 8.4.2 and 8.6.6). */
const TIMESCALE = 12
const DURATION = 16
const TRACK_DURATION = 20
const EDIT_COUNT = 4
const EDIT_DURATION = 8
const EDIT_START = 12

/** @returns whether it changed anything */
function countInSamples(index: Buffer, samples?: number): boolean {
  const inside = (...path: string[]) => boxAt(index, ...path)
  const [movie, track] = [inside('mvhd'), inside('trak', 'tkhd')]
  const [media, edits] = [inside('trak', 'mdia', 'mdhd'), inside('trak', 'edts', 'elst')]
  // Counts beyond 32 bits need version 1: hours of sound at 176.4 kHz or more.
  const isPlain = [movie, track, media, edits].every((box) => box.length >= 20 && box.readUInt8(0) === 0)
  if (!isPlain || edits.readUInt32BE(EDIT_COUNT) !== 1) return false
  const skipped = edits.readInt32BE(EDIT_START)
  const playedSamples = samples ?? media.readUInt32BE(DURATION) - skipped
  if (playedSamples < 0) return false
  media.writeUInt32BE(playedSamples + skipped, DURATION)
  movie.writeUInt32BE(media.readUInt32BE(TIMESCALE), TIMESCALE)
  for (const [box, at] of [
    [movie, DURATION],
    [track, TRACK_DURATION],
    [edits, EDIT_DURATION],
  ] as const) {
    box.writeUInt32BE(playedSamples, at)
  }
  return true
}
