import { lossy } from './codec.ts'

export const aac = lossy({
  description: 'AAC in an MP4 container (`.m4a`).',
  extension: 'm4a',
  contentType: 'audio/mp4',
  codecName: 'aac',
  // The default of FFmpeg 5. The default of the npm package's build, `fast`, loses 2.5 dB of a loud tone.
  encoder: ['aac', '-aac_coder', 'twoloop'],
  // It saves bits in silence, and its option for another mode is experimental.
  modes: { vbr: [] },
  effort: 8,
  isSplittable: true,
  // With the index first, playback starts before the file is loaded.
  container: ['-movflags', '+faststart', '-f', 'ipod'],
  usableBitrate: (bitrate) => bitrate,
  reducedRate: (bitrate, channels) => (bitrate / channels < 16 ? 16_000 : bitrate / channels < 32 ? 24_000 : null),
})
