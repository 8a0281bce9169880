/** Largest single allocation of a media program, in bytes: a header may declare any size. */
const allocationBound = ['-max_alloc', String(512 << 20)]

/** Options of every run of ffmpeg: no terminal input, no output but errors, bounded allocations. */
export const ffmpegFlags = ['-nostdin', '-hide_banner', '-v', 'error', ...allocationBound]

/** Options of every run of ffprobe on an untrusted file. Warnings tell why a file cannot be read. */
export const ffprobeFlags = ['-hide_banner', '-v', 'warning', ...allocationBound]

/** Writes to standard output when a buffer is full, not frame by frame: a tenth of the system calls. */
const piped = (format: string) => ['-flush_packets', '0', '-f', format, 'pipe:1']

export const pipedWav = piped('wav')
export const pipedAdts = piped('adts')
