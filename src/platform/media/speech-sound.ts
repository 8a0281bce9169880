/** Sample rate of the sound that recognizers work with, in Hz. Whisper resamples any other one to it. */
export const SPEECH_RATE = 16_000
const BYTES_PER_SAMPLE = 2
/** Bytes of a second of 16-bit mono. */
export const SPEECH_BYTES_PER_SECOND = SPEECH_RATE * BYTES_PER_SAMPLE

/** Output options of ffmpeg for that sound, without a header. Sound of one channel is expected. */
export const speechArgs = ['-ar', String(SPEECH_RATE), '-c:a', 'pcm_s16le', '-f', 's16le'] as const

/** 16-bit mono samples at SPEECH_RATE. */
export type SpeechSamples = Int16Array<ArrayBuffer>

/**
 * Reads a part of a file that was made with `speechArgs`.
 * @param start in seconds
 * @param end in seconds; the samples end with the file
 */
export async function readSpeech(file: string, start: number, end: number): Promise<SpeechSamples> {
  const [from, to] = [start, end].map((seconds) => Math.round(seconds * SPEECH_RATE) * BYTES_PER_SAMPLE)
  return new Int16Array(await Bun.file(file).slice(from, to).arrayBuffer())
}

/** Length of a file that was made with `speechArgs`, in seconds. */
export const measureSpeech = (file: string): number => Bun.file(file).size / SPEECH_BYTES_PER_SECOND

const HEADER_BYTES = 44

/**
 * Returns samples as a WAV file.
 * @see Multimedia Programming Interface and Data Specifications 1.0
 */
export function toWav(samples: SpeechSamples): Uint8Array<ArrayBuffer> {
  const wav = new Uint8Array(HEADER_BYTES + samples.byteLength)
  const view = new DataView(wav.buffer)
  const write = (at: number, text: string) => wav.set(new TextEncoder().encode(text), at)
  write(0, 'RIFF')
  view.setUint32(4, wav.length - 8, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  // PCM of one channel.
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, SPEECH_RATE, true)
  view.setUint32(28, SPEECH_BYTES_PER_SECOND, true)
  view.setUint16(32, BYTES_PER_SAMPLE, true)
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true)
  write(36, 'data')
  view.setUint32(40, samples.byteLength, true)
  wav.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), HEADER_BYTES)
  return wav
}
