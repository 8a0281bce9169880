import type { EndedProcess } from './spawn.ts'
import { isSpent } from './time-limit.ts'

/**
 * Reasons why an upload could not be processed: stable words for programs, sentences for the person who uploaded it.
 * The guide "Status codes" (src/web/docs/guides/status-codes.md) lists them.
 */
export const reasons = {
  not_audio: 'The file is not readable audio. Upload a recording such as MP3, M4A, FLAC, WAV, OGG or OPUS.',
  empty: 'The file is empty. Upload the complete file.',
  no_sound: 'The file contains no sound. Export it with its sound track and upload the result.',
  truncated: 'The file is incomplete: a part of it is missing. Upload the complete file.',
  corrupted: 'The file is damaged: its sound cannot be read. Export it again from the original program.',
  encrypted: 'The file is copy-protected (DRM) and cannot be processed. Upload an unprotected file.',
  unsupported_codec: 'The audio encoding of the file is not supported. Export it as WAV, FLAC, MP3 or M4A.',
  unsupported_sample_rate: 'The sample rate of the recording is not supported. Export it with 44,100 or 48,000 Hz.',
  too_long: 'The recording is longer than 12 hours. Split it and upload the parts.',
  too_many_streams: 'The file contains more than 64 streams. Export only the audio.',
  too_many_channels: 'The recording has more than 64 channels. Export it with fewer, for example two for stereo.',
  decoder_failed: 'The file is damaged: it could not be decoded completely. Export it again and upload the result.',
  output_too_large: 'This file would be larger than its bit rate or the limit of 16 GiB allows. Split the recording.',
  encoder_failed: 'This file could not be generated from the recording.',
  timed_out: 'The file took too long to process. Export it again and upload the result.',
  out_of_memory: 'The file needs more memory than is allowed. Export it again in a common format.',
  source_missing: 'The uploaded recording is no longer in storage. Upload it again.',
  not_an_image: 'The cover is not a readable image. Upload a JPEG, PNG, WebP or GIF.',
  image_too_large: 'The cover has more than 50 million pixels. Upload a smaller one; 3000 by 3000 is plenty.',
  image_decoder_failed: 'The cover could not be decoded. Re-save it and upload it again.',
} as const

export type MediaReason = keyof typeof reasons

/** A file that cannot be processed. The message is for the person who uploaded it. */
export class MediaError extends Error {
  override name = 'MediaError'
  readonly code: string
  /** Output of the program, for the log only. */
  readonly detail: string

  constructor(code: string, message: string, detail = '') {
    super(message)
    this.code = code
    this.detail = detail
  }
}

/**
 * Creates an error from the table.
 * @param detail for the log only
 * @param more a sentence about this file, appended to the table's
 */
export const mediaError = (reason: MediaReason, detail = '', more = '') =>
  new MediaError(reason, more ? `${reasons[reason]} ${more}` : reasons[reason], detail)

/** Messages of the programs about their input; the first match counts. */
const explanations: [pattern: RegExp, reason: MediaReason][] = [
  [/^\[matroska,webm @ \w+\] Unknown EBML doctype/m, 'not_audio'],
  // ffmpeg also reports ENOMEM in this case.
  [/Number of streams exceeds max_streams/, 'too_many_streams'],
  [/Cannot allocate memory|Out of memory|std::bad_alloc/i, 'out_of_memory'],
  [/DRM protected|activation_bytes|protected (stream|content)|encrypted/i, 'encrypted'],
  [
    /Decoder \([^)]*\) not found|^\[\w+ @ \w+\] Codec .* not on whitelist|Unsupported codec|no decoder found|Unknown decoder/im,
    'unsupported_codec',
  ],
  [
    /moov atom not found|no 'data' tag found|Missing packet table|Truncat|partial file|Packet corrupt|End of file/i,
    'truncated',
  ],
  [/Output file #?\d* ?does not contain any stream|matches no streams/i, 'no_sound'],
]

/**
 * Returns why a program failed on an uploaded file. Call `checkHost` first: host faults are not reasons.
 * @param cpuSeconds limit of its CPU time
 * @param otherwise for a failure that no message explains
 */
export function findReason(
  { signal, stderr, timedOut, cpuMs }: Pick<EndedProcess, 'signal' | 'stderr' | 'timedOut' | 'cpuMs'>,
  cpuSeconds: number,
  otherwise: MediaReason,
): MediaReason {
  if (timedOut || isSpent({ cpuMs, signal }, cpuSeconds)) return 'timed_out'
  if (signal === 'SIGXFSZ') return 'output_too_large'
  // A crash overrides earlier messages.
  if (signal) return otherwise
  return explanations.find(([pattern]) => pattern.test(stderr))?.[1] ?? otherwise
}
