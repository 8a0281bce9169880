/**
 * How a file ends, by the sizes in it. `cut`: it announces more bytes than it has. `open`: its parts do not follow each
 * other up to its end, so that what is missing cannot be known.
 */
export type FileEnding = 'whole' | 'cut' | 'open'

/** Reads bytes of a file at a place; fewer at its end. */
export type ReadBytes = (at: number, length: number) => Promise<Buffer>
