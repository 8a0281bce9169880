import type { FileHandle } from 'node:fs/promises'

/** Bytes to write over those at a position. The length of the file remains. */
export interface Patch {
  position: number
  bytes: Buffer
}

/**
 * Tags that are read. ffmpeg searches its list of tags from the start for each of them: 2,000 take a hundredth of a
 * second, 200,000 take minutes. No known program writes more than a few hundred, mostly chapters.
 */
export const MAX_ENTRIES = 2048

/** Number of tags that remain to be read. */
export interface Budget {
  entries: number
}

/** An opened recording. */
export interface TagSource {
  handle: FileHandle
  size: number
}
