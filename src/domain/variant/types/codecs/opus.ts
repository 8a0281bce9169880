import { lossy } from './codec.ts'

export const opus = lossy({
  description: 'Opus in an Ogg container.',
  extension: 'opus',
  contentType: 'audio/ogg',
  codecName: 'opus',
  encoder: ['libopus'],
  modes: { cbr: ['-vbr', 'off'], vbr: [] },
  effort: 4,
  container: ['-f', 'opus'],
  usableBitrate: (bitrate, channels) => Math.min(bitrate, 256 * channels),
  reducedRate: () => null,
  rateFor: () => 48_000,
})
