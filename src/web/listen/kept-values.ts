/** Values that the browser keeps for this page. A frame of another site may be refused them. */

const PREFIX = 'tonearm.'

export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

/** @param value null removes it */
export function keepValue(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, value)
  } catch {
    // The page works without.
  }
}

/** Shorter recordings begin at their start: a song is played again, a talk goes on. */
const MIN_SECONDS = 300
/** A position this close to an end is not one to continue from. */
const MARGIN_SECONDS = 15

/** The position at which a long recording was left. 0 without one. */
export const readPosition = (trackId: string) => Number(readKept(`position.${trackId}`)) || 0

/** Keeps the position of a long recording. */
export function keepPosition(trackId: string, seconds: number, length: number): void {
  if (length < MIN_SECONDS) return
  const isInside = seconds > MARGIN_SECONDS && seconds < length - MARGIN_SECONDS
  keepValue(`position.${trackId}`, isInside ? String(Math.floor(seconds)) : null)
}
