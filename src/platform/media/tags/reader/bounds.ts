// Apart from report.ts, because the program has no package for validation.

/** Length at which the program cuts off a text, and number of values, fields and chapters that it reports. */
export const MAX_TEXT_CHARS = 4096
export const MAX_VALUES = 32
export const MAX_FIELDS = 256
export const MAX_READ_CHAPTERS = 1024
/** Largest picture that is copied out of a recording. */
export const MAX_PICTURE_BYTES = 30 << 20
/** Name of the picture in the folder of the results. */
export const PICTURE_FILE = 'read-picture'
/** Exit status when the folder does not take the picture, as EX_IOERR of sysexits.h. */
export const UNWRITABLE = 74
