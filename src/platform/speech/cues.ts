/** A text that is said at a time, in seconds. */
export interface SpokenCue {
  start: number
  end: number
  text: string
}

/** Most words of an overlap that are compared: what is said in four seconds. */
const MAX_SEAM_WORDS = 20

/**
 * Adds the cues of a piece to those of the pieces before it. Both have the sound around the cut between them: a cue belongs to
 * the piece that its middle is in. Words that both have heard are kept once.
 * @param cut end of the earlier pieces, in seconds of the recording as all times
 * @param spokenOverlap sound on both sides of the cut that both have. 0 for a cut in a pause, where nothing is said
 */
export function joinCues(
  earlier: readonly SpokenCue[],
  next: readonly SpokenCue[],
  cut: number,
  spokenOverlap: number,
): SpokenCue[] {
  const last = earlier.at(-1)
  const added = next.filter(({ start, end }) => (start + end) / 2 >= cut)
  const [first, ...others] = added
  const isSeam =
    last && first && spokenOverlap > 0 && last.end > cut - spokenOverlap && first.start < cut + spokenOverlap
  if (!isSeam) return [...earlier, ...added]
  const words = first.text.split(/\s+/)
  const repeatedWords = countRepeated(last.text.split(/\s+/), words)
  const rest = words.slice(repeatedWords).join(' ')
  // Times of cues do not overlap.
  const start = Math.min(Math.max(first.start, last.end), first.end)
  return [...earlier, ...(rest === '' ? [] : [{ ...first, start, text: rest }]), ...others]
}

/** Number of words at the end of a text that the next begins with. */
function countRepeated(before: readonly string[], after: readonly string[]): number {
  const [ending, beginning] = [before.slice(-MAX_SEAM_WORDS).map(fold), after.slice(0, MAX_SEAM_WORDS).map(fold)]
  for (let count = Math.min(ending.length, beginning.length); count > 0; count--) {
    if (ending.slice(-count).every((word, at) => word === beginning[at])) return count
  }
  return 0
}

/** A word without case and punctuation. */
const fold = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
