import { lossy } from './codec.ts'

/** Bit rates in kbps that a frame header can state (ISO/IEC 11172-3 layer III; below 32 those of 13818-3). */
const bitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

/** Bit rates from which LAME scales by a factor (`abr_switch_map` in its presets.c), so that less of it clips. */
const scales = [
  [256, 1],
  [224, 0.98],
  [192, 0.97],
  [0, 0.95],
] as const

export const mp3 = lossy({
  description: 'MPEG-1/2 layer III.',
  extension: 'mp3',
  contentType: 'audio/mpeg',
  codecName: 'mp3',
  encoder: ['libmp3lame'],
  modes: { cbr: [], vbr: ['-abr', '1'] },
  effort: 7,
  gainDb: (bitrate) => 20 * Math.log10(scales.find(([from]) => (bitrate ?? 0) >= from)?.[1] ?? 1),
  container: ['-id3v2_version', '3', '-write_xing', '1', '-f', 'mp3'],
  usableBitrate: (bitrate) => bitrates.reduce((a, b) => (b - bitrate <= bitrate - a ? b : a)),
  // MPEG-1 layer III starts at 32 kbps; MPEG-2 supports lower bit rates with lower sample rates.
  reducedRate: (bitrate) => (bitrate < 32 ? 24_000 : null),
})
