/** Largest single allocation of a media program, in bytes: a header may declare any size. */
const allocationBound = ['-max_alloc', String(512 << 20)]

/** Options of every run of ffmpeg: no terminal input, no output but errors, bounded allocations. */
export const ffmpegFlags = ['-nostdin', '-hide_banner', '-v', 'error', ...allocationBound]

/** Options of every run of ffprobe on an untrusted file. Warnings tell why a file cannot be read. */
export const ffprobeFlags = ['-hide_banner', '-v', 'warning', ...allocationBound]

/** Writes WAV to standard output when a buffer is full, not frame by frame: a tenth of the system calls. */
export const pipedWav = ['-flush_packets', '0', '-f', 'wav', 'pipe:1']
