import type { Note } from './source.ts'

/**
 * What is said of a file whose bit rate could not be what was asked for.
 * @param asked kbps of the recipe
 * @param used kbps that the encoder was given
 */
export function bitrateNote(asked: number, used: number): Note | undefined {
  if (used === asked) return undefined
  const [change, bound] = used > asked ? ['raised', 'lowest'] : ['lowered', 'highest']
  const text = `The bit rate was ${change} to ${used} kbps, the ${bound} of this codec for so many channels.`
  return { code: 'bitrate_clamped', text }
}
