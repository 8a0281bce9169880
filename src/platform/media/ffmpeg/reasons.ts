import type { Ended } from './spawn.ts'

/**
 * Why something could not be made of an upload: stable words for programs, sentences for the person who uploaded it.
 * README.md lists them.
 */
export const reasons = {
  not_audio: 'This file is not audio that we can read. Upload a recording such as MP3, M4A, FLAC, WAV, OGG or OPUS.',
  empty: 'The file is empty. Upload it again, whole.',
  no_sound: 'The file has the form of a recording, but there is no sound in it. Export it again and upload the result.',
  truncated: 'The file breaks off: a part of it is missing. Upload the whole file.',
  corrupted: 'The file is damaged: its sound cannot be read. Export it again from the program that it comes from.',
  encrypted: 'The file is protected against copying (DRM), so nothing can be made of it. Upload an unprotected file.',
  unsupported_codec:
    'The sound in this file is encoded in a way that we cannot read. Export it as WAV, FLAC, MP3 or M4A.',
  unsupported_sample_rate:
    'The recording has a sample rate that we cannot work with. Export it with 44,100 or 48,000 Hz.',
  too_long: 'The recording is longer than 12 hours. Split it and upload the parts.',
  too_many_streams: 'The file holds more than 64 streams. Export only the sound that is wanted.',
  too_many_channels: 'The recording has more than 64 channels. Export it with fewer, two for stereo.',
  decoder_failed: 'The file is damaged: it could not be decoded to its end. Export it again and upload the result.',
  encoder_failed: 'This file could not be made from the recording.',
  timed_out: 'The file took too long to process. Export it again and upload the result.',
  out_of_memory: 'The file needs more memory than one recording may have. Export it again in a common format.',
  source_missing: 'The uploaded recording is no longer in storage. Upload it again.',
  not_an_image: 'The cover is not an image that we can read. Upload a JPEG, PNG, WebP or GIF.',
  image_too_large: 'The cover has more than 50 million pixels. Upload a smaller one; 3000 by 3000 is plenty.',
  image_decoder_failed: 'The cover could not be decoded. Save it anew and upload that.',
  // The host's fault: the sentence is for whoever runs the service.
  images_unavailable: 'Covers cannot be made here: the image library does not load.',
} as const

export type Reason = keyof typeof reasons

/** A file that cannot be worked on. The message is for the person who uploaded it. */
export class MediaError extends Error {
  override name = 'MediaError'
  readonly code: string
  /** What the program said, for the log only. */
  readonly detail: string

  constructor(code: string, message: string, detail = '') {
    super(message)
    this.code = code
    this.detail = detail
  }
}

/**
 * An error out of the table.
 * @param detail for the log only
 * @param more what is known of this file in particular, as a sentence behind the table's
 */
export const mediaError = (reason: Reason, detail = '', more = '') =>
  new MediaError(reason, more ? `${reasons[reason]} ${more}` : reasons[reason], detail)

/** What a program says in so many words, of what it was given; the first that fits counts. */
const sayings: [pattern: RegExp, reason: Reason][] = [
  // Said as if memory were short.
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
 * The reason why a program failed on an uploaded file. Call `checkHost` first: failures of the host are not reasons.
 * @param otherwise for a failure that no message explains
 */
export function reasonOf(
  { signal, stderr, timedOut }: Pick<Ended, 'signal' | 'stderr' | 'timedOut'>,
  otherwise: Reason,
): Reason {
  if (timedOut || signal === 'SIGXCPU') return 'timed_out'
  // A crash counts more than earlier messages.
  if (signal) return otherwise
  return sayings.find(([pattern]) => pattern.test(stderr))?.[1] ?? otherwise
}
