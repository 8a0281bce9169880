import { lossy } from './codec.ts'

export const ogg = lossy({
  description: 'Vorbis in an Ogg container.',
  extension: 'ogg',
  contentType: 'audio/ogg',
  codecName: 'vorbis',
  encoder: ['libvorbis'],
  // libvorbis reaches a constant bit rate only over several seconds.
  modes: { vbr: [] },
  effort: 5,
  // The last page states the length of the sound and needs a page before it, so pages must be short.
  container: ['-page_duration', '200000', '-f', 'ogg'],
  usableBitrate: (bitrate, channels) => Math.min(bitrate, 240 * channels),
  reducedRate: (bitrate, channels) => {
    if (channels === 1) return bitrate < 16 ? 8000 : bitrate < 32 ? 16_000 : null
    return bitrate < 24 ? 8000 : bitrate < 32 ? 16_000 : bitrate < 48 ? 24_000 : null
  },
})
